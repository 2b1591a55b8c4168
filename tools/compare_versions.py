"""Run the same command lines in two checkouts and print every difference.

    python tools/compare_versions.py BEFORE AFTER COMMANDS FOLDER

COMMANDS is a text file: one `mathtree` command line a line (without `mathtree`); `#` starts a comment, and `< FILE` at
the end is standard input. FOLDER/start, where it exists, is what both find in their working folder. The exit code,
standard output, standard error and the files written are compared. Times, versions and the paths of the checkouts and
folders are made the same before. The exit code is 1 if something differs.

Each checkout is imported once, and every command runs in a process forked from there, with one thread.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

# Runs in a process of the checkout: argument 1 is the file of command lines, 2 the folder for what they print.
SERVER = """
import json, os, sys, warnings
from pathlib import Path
import dgl_mathtree, torch
import dgl_mathtree.cli
torch.set_num_threads(1)
commands, outputs = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
for number, (arguments, stdin) in enumerate(commands):
    child = os.fork()
    if child == 0:
        os.setsid()
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(outputs / f"{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        os.dup2(os.open(stdin or os.devnull, os.O_RDONLY), 0)
        code = 70
        try:
            code = dgl_mathtree.cli.main(arguments)
        except SystemExit as end:
            code = end.code or 0
            if isinstance(code, str):
                print(code, file=sys.stderr)
                code = 1
        except BaseException:
            import traceback
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    files = json.loads((outputs / "files.json").read_text()) if number else {}
    seen = {str(path): path.stat().st_mtime_ns for path in sorted(Path().rglob("*")) if path.is_file()}
    written = sorted(path for path in seen if seen[path] != files.get(path))
    (outputs / "files.json").write_text(json.dumps(seen))
    (outputs / f"{number}.json").write_text(json.dumps([os.waitstatus_to_exitcode(status), written if number else []]))
"""


Commands = list[tuple[list[str], "str | None"]]


def command_lines(text: str) -> Commands:
    """The arguments of each command, and the file that it reads as standard input."""
    found: Commands = []
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words:
            stdin = words[-1] if len(words) > 2 and words[-2] == "<" else None
            found.append((words[:-2] if stdin else words, stdin))
    return found


def run(checkout: Path, commands: Commands, folder: Path, start: Path) -> list[dict[str, str]]:
    """What each command did in a checkout: texts by name."""
    work, outputs = folder / "work", folder / "outputs"
    shutil.copytree(start, work) if start.is_dir() else work.mkdir(parents=True)
    outputs.mkdir()
    listed = folder / "commands.json"
    # The first command only lets what is there at the start be listed.
    listed.write_text(json.dumps([(["--version"], None), *commands]))
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1", "COLUMNS": "120"}
    environment["XDG_CACHE_HOME"] = str(folder / "cache")
    subprocess.run([sys.executable, "-c", SERVER, listed, outputs], cwd=work, env=environment, check=True)
    results = []
    for number in range(1, len(commands) + 1):
        code, written = json.loads((outputs / f"{number}.json").read_text())
        result = {"exit code": f"{code}\n"}
        for stream, name in (("out", "standard output"), ("err", "standard error")):
            text = (outputs / f"{number}.{stream}").read_text("utf-8", errors="replace")
            result[name] = evened(text, checkout, work)
        result |= {f"file {path}": summary(work / path, checkout, work) for path in written if (work / path).exists()}
        results.append(result)
    return results


def evened(text: str, checkout: Path, work: Path) -> str:
    """A text without what differs from run to run, or because the version does."""
    text = text.replace(str(work), "WORK").replace(str(checkout), "CHECKOUT")
    text = "\n".join(map(spread, text.split("\n")))
    text = re.sub(r'("(?:seconds|version|torch|machine)": )("[^"]*"|[\d.e-]+)', r"\1_", text)
    return re.sub(r"\b\d+(?:\.\d+)? ?(s|seconds|MB|MiB)\b", r"_ \1", text)


def spread(line: str) -> str:
    """A line of JSON as one line for each of its values, so that only what differs is printed."""
    try:
        return json.dumps(json.loads(line), indent=1, sort_keys=True) if line.startswith(("{", "[")) else line
    except json.JSONDecodeError:
        return line


def summary(path: Path, checkout: Path, work: Path) -> str:
    """A file's text, where it is one and short, or else a hash of its bytes."""
    content = path.read_bytes()
    try:
        text = evened(content.decode(), checkout, work)
    except UnicodeDecodeError:
        text = ""
    return text if text and len(text) < 200_000 else hashlib.sha256(content).hexdigest() + "\n"


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The lines to print about a command, none if nothing differs."""
    lines = []
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            lines.append(f"  {name}: written {'after' if old is None else 'before'} only")
        elif old != new:
            lines.append(f"  {name}:")
            changed = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
            lines += [f"    {line[:300]}" for line in changed if not line.startswith("@@")]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("before", "after", "commands", "folder"):
        parser.add_argument(name, type=lambda text: Path(text).absolute())
    options = parser.parse_args()
    commands = command_lines(options.commands.read_text("utf-8"))
    results = []
    for name in ("before", "after"):
        shutil.rmtree(options.folder / name, ignore_errors=True)
        (options.folder / name).mkdir(parents=True)
        results.append(run(getattr(options, name), commands, options.folder / name, options.folder / "start"))
    count = 0
    for (arguments, _), before, after in zip(commands, *results, strict=True):
        lines = differences(before, after)
        count += bool(lines)
        if lines:
            print(f"mathtree {shlex.join(arguments)}", *lines, "", sep="\n")
    print(f"{len(commands)} commands, {count} differ")
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
