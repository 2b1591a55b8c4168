"""`mathtree serve`: a page and a JSON API on this machine."""

from __future__ import annotations

import argparse
import os

from dgl_mathtree.cli.command_table import CommandError, Commands, add_command, command_modules

PORT = 8400


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "serve",
        _run_serve,
        "Open a playground: a local page to type equations into, and a JSON API.",
        "mathtree serve --port 0",
        epilog="Prints its address in one line, and runs until Ctrl-C or SIGTERM; either ends it with exit code 0. It "
        "answers under localhost, 127.0.0.1, [::1] and the host given, and under no other name.",
    )
    command.add_argument(
        "--port", type=int, default=PORT, metavar="N", help="port, 0 for any free one (default %(default)s)"
    )
    command.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="name or address to listen on (default %(default)s)"
    )
    command.add_argument("--model", metavar="RUN", default="shipped", help="a run folder (default: the shipped model)")


def _run_serve(options: argparse.Namespace) -> int:
    if not 0 <= options.port <= 65535:
        raise CommandError(f"--port must be from 0 to 65535, not {options.port}")
    if not hasattr(os, "fork"):
        raise CommandError("serve needs a system whose processes can fork, such as Linux")
    try:
        from dgl_mathtree.web.server.api import load_endpoints
        from dgl_mathtree.web.server.site import serve
    except ModuleNotFoundError as error:
        raise CommandError(f"serve needs {error.name}: pip install 'dgl-mathtree[serve]'") from None
    load_endpoints(module.__name__ for module in command_modules() if hasattr(module, "define_endpoints"))
    serve(options.host, options.port, options.model, lambda address: print(address, flush=True))
    return 0
