"""The application: which requests are answered, and with what."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from urllib.parse import urlsplit

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dgl_mathtree.files import parse_json
from dgl_mathtree.web.server.api import ENDPOINTS, Endpoint
from dgl_mathtree.web.server.limits import Limits
from dgl_mathtree.web.server.openapi import openapi_document
from dgl_mathtree.web.server.responses import Refusal, busy, make_response
from dgl_mathtree.web.server.workers import Workers

LOCAL = ("localhost", "127.0.0.1", "[::1]")
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "json": "application/json",
}
FILES = {"/": "playground.html"} | {f"/{name}": name for name in ("playground.css", "playground.js", "icon.svg")}


def page_files() -> dict[str, str]:
    """The texts of the page's files by path, with the OpenAPI document."""
    folder = files("dgl_mathtree.web") / "static"
    texts = {path: (folder / name).read_text(encoding="utf-8") for path, name in FILES.items()}
    return texts | {"/openapi.json": json.dumps(openapi_document(), indent=1)}


def make_app(workers: Workers, hosts: frozenset[str], texts: Mapping[str, str]) -> Starlette:
    """The application.

    Parameters
    ----------
    workers : Workers
        Compute the answers of the API.
    hosts : frozenset of str
        Names under which the server answers, with the port.
    texts : mapping of str to str
        The files by path; no request reads any other.
    """
    routes = [Route(path, _file(path, text)) for path, text in texts.items()]
    routes += [
        Route(f"/api/{name}", _answer(endpoint, workers), methods=["POST"]) for name, endpoint in ENDPOINTS.items()
    ]
    middleware = [Middleware(Gate, hosts=hosts, limits=workers.limits)]
    app = Starlette(routes=routes, middleware=middleware, exception_handlers={HTTPException: _not_routed})
    app.router.redirect_slashes = False
    return app


def _file(path: str, text: str) -> Callable[[Request], Awaitable[Response]]:
    body = text.encode()
    content_type = TYPES[FILES.get(path, path).rpartition(".")[2]]

    async def respond(_: Request) -> Response:
        return make_response(200, body, content_type)

    return respond


def _answer(endpoint: Endpoint, workers: Workers) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        fields = read_fields(endpoint, await _body(request, workers.limits))
        found = await workers.ask(endpoint.name, fields, endpoint.long, request.scope["state"]["is_gone"])
        return make_response(found.status, found.body)

    return respond


async def _body(request: Request, limits: Limits) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > limits.body:
            raise _too_large(limits)
    return body


def _too_large(limits: Limits) -> Refusal:
    return Refusal(413, f"a body may have {limits.body} bytes at most")


def read_fields(endpoint: Endpoint, body: bytes) -> dict[str, object]:
    """The checked fields of a request.

    Raises
    ------
    Refusal
        Where the body is not JSON, or a field not as the endpoint's type says.

    Examples
    --------
    >>> read_fields(ENDPOINTS["complete"], b'{"equation": "x = ?"}')
    {'equation': 'x = ?', 'top': 5}
    """
    try:
        fields = parse_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Refusal(400, f"the body is not JSON: {error.msg} at character {error.pos}") from None
    if not isinstance(fields, dict):
        raise Refusal(400, 'the body has to be an object such as {"equation": "x = x"}')
    try:
        return dict(endpoint.request.model_validate(fields))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0])[:40]
    if first["type"] == "extra_forbidden":
        raise Refusal(400, f"there is no field {name!r}; there are: {', '.join(endpoint.request.model_fields)}")
    raise Refusal(400, f"the field {name}: {first['msg'].removeprefix('Value error, ').lower()}")


async def _not_routed(request: Request, error: Exception) -> Response:
    """Refuse a path that does not exist, or a method that it does not take."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return Refusal(404, "there is no such page").response
    allowed = sorted((error.headers or {}).get("Allow", "").split(", "))
    taken = {"Allow": ", ".join(allowed)}
    return Refusal(error.status_code, f"{request.url.path} takes {' and '.join(allowed)}", taken).response


class Gate:
    """Middleware that passes on requests which this server may answer, and turns refusals into responses."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], limits: Limits) -> None:
        self.app, self.hosts, self.limits = app, hosts, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            scope = self._checked(scope)
            await self.app(scope, receive, send)
        except Refusal as refusal:
            await refusal.response(scope, receive, send)
        except ClientDisconnect:
            pass
        except asyncio.CancelledError:
            await busy("the server is being stopped").response(scope, receive, send)
        except Exception as error:
            print(f"mathtree: a request failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            await Refusal(500, "this is a fault of the server, which its terminal reports").response(
                scope, receive, send
            )

    def _checked(self, scope: Scope) -> Scope:
        """A request's scope with its exact path: none is decoded, so that files are matched by their exact names."""
        if scope["http_version"] not in ("1.0", "1.1"):
            raise Refusal(505, "this server speaks HTTP/1.1")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        target = scope["raw_path"].decode("ascii")
        host, path = headers.get("host", ""), target
        if not target.startswith("/") and "://" in target:  # an absolute target overrides Host
            parts = urlsplit(target)
            host, path = parts.netloc if parts.scheme == "http" else "", parts.path or "/"
        hosts = self.hosts | reached_names(scope["server"])
        if host.lower() not in hosts:
            # The name of another site that leads here (DNS rebinding): its pages must not reach this server.
            raise Refusal(421, f"this server is called {' or '.join(sorted(hosts))}")
        if len(target) + sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > self.limits.head:
            raise Refusal(431, f"the request's headers are larger than {self.limits.head} bytes")
        if headers.get("expect", "100-continue").lower() != "100-continue":
            raise Refusal(417, "nothing but 100-continue can be expected")
        if int(headers.get("content-length", 0)) > self.limits.body:
            raise _too_large(self.limits)
        if scope["method"] == "POST" and path.removeprefix("/api/") in ENDPOINTS:
            _check_origin(headers, hosts)
        return {**scope, "path": path}


def _check_origin(headers: Mapping[str, str], hosts: frozenset[str]) -> None:
    """Refuse what a page of another site sends; what a form can send is not JSON."""
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in {f"http://{host}" for host in hosts}:
        raise Refusal(403, "pages of other sites may not ask this server")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise Refusal(403, "pages of other sites may not ask this server")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "the body has to be JSON, with Content-Type: application/json")


def host_names(host: str, port: int) -> frozenset[str]:
    """What a request's Host header may be.

    Examples
    --------
    >>> sorted(host_names("::1", 80))
    ['127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:80', 'localhost', 'localhost:80']
    """
    names = {*LOCAL, f"[{host}]" if ":" in host else host.lower()}
    with_port = {f"{name}:{port}" for name in names}
    return frozenset(names | with_port if port == 80 else with_port)


def reached_names(address: tuple[str, int]) -> frozenset[str]:
    """What a Host header may be besides, by the address at which a client has reached the server.

    A server that listens on all addresses does not know them. No name of another site looks like an address.

    Examples
    --------
    >>> sorted(reached_names(("::ffff:192.0.2.7", 8400)))
    ['127.0.0.1:8400', '192.0.2.7:8400', '[::1]:8400', 'localhost:8400']
    """
    host, port = address
    return host_names(host.removeprefix("::ffff:"), port)
