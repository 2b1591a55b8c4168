"""HTTP/1.1 as far as it is needed: one request a connection, read strictly, within limits of size and time."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from dgl_mathtree.server.limits import Limits

_REQUEST = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP/1\.[01]")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*")
_HEAD_END = b"\r\n\r\n"
# What every answer carries: the page may load and ask nothing but this server, and no other page may use it.
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Request:
    """A request; the names of its headers are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Response:
    """An answer: a status, a body and its type, and headers of its own."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def encoded(self, without_body: bool = False) -> bytes:
        """What is sent; an answer to HEAD goes without its body."""
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"]
        own = {"Content-Type": self.content_type, "Content-Length": str(len(self.body)), "Connection": "close"}
        headers = own | {"Cache-Control": "no-store"} | SECURITY | dict(self.headers)
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join(lines).encode("latin-1") + _HEAD_END + (b"" if without_body else self.body)


class Refusal(Exception):
    """A request that is not answered as asked.

    Parameters
    ----------
    status : int
        What it is refused with.
    reason : str
        One line: what is wrong, and what would be right.
    headers : mapping of str to str
        That belong to the status, such as ``Retry-After``.
    place : mapping of str to object
        Where in the equation, if it is about a place in one.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        headers: Mapping[str, str] | None = None,
        place: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason
        self.headers, self.place = dict(headers or {}), dict(place or {})

    @property
    def facts(self) -> dict[str, object]:
        """What is said of it."""
        return {"error": self.reason} | self.place

    @property
    def response(self) -> Response:
        return Response(self.status, as_json(self.facts), headers=self.headers)


def busy(reason: str) -> Refusal:
    """The refusal of one who may come again in a second."""
    return Refusal(503, reason, {"Retry-After": "1"})


def as_json(facts: object) -> bytes:
    """JSON in ASCII, which holds even what is no valid text."""
    return json.dumps(facts, allow_nan=False).encode("ascii")


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits) -> Request | None:
    """The request that a client sends; None if it sends none.

    Raises
    ------
    Refusal
        Where it is malformed, too large or too slow.
    """
    try:
        return await asyncio.wait_for(_read(reader, writer, limits), limits.reading)
    except (TimeoutError, asyncio.TimeoutError):
        raise Refusal(408, f"the request was not whole after {limits.reading:g} seconds") from None
    except asyncio.LimitOverrunError:
        raise Refusal(431, f"the request's headers are larger than {limits.head} bytes") from None
    except asyncio.IncompleteReadError:
        return None


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits) -> Request:
    head = await reader.readuntil(_HEAD_END)
    request = parse_head(head)
    size = _body_size(request, limits)
    if "expect" in request.headers:
        if request.headers["expect"].lower() != "100-continue":
            raise Refusal(417, "nothing but 100-continue can be expected")
        writer.write(b"HTTP/1.1 100 Continue" + _HEAD_END)
    body = await reader.readexactly(size)
    return Request(request.method, request.target, request.headers, body)


def parse_head(head: bytes) -> Request:
    """The line and headers of a request, with the empty line after them.

    Examples
    --------
    >>> parse_head(b"GET /?a=b HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n").path
    '/'
    """
    first, *lines = head.removesuffix(_HEAD_END).split(b"\r\n")
    match = _REQUEST.fullmatch(first)
    if match is None:
        raise Refusal(400, "this is not an HTTP/1.1 request")
    headers: dict[str, str] = {}
    for line in lines:
        header = _HEADER.fullmatch(line)
        if header is None:
            raise Refusal(400, "there is a malformed header")
        name = header[1].decode("ascii").lower()
        if name in headers:
            raise Refusal(400, f"the header {name} is there twice")
        headers[name] = header[2].decode("latin-1")
    return Request(match[1].decode("ascii"), match[2].decode("ascii"), headers)


def _body_size(request: Request, limits: Limits) -> int:
    if "transfer-encoding" in request.headers:
        raise Refusal(411, "a body needs a Content-Length")
    text = request.headers.get("content-length", "0")
    if not (text.isascii() and text.isdigit()):
        raise Refusal(400, "Content-Length is not a number")
    if len(text) > 12 or int(text) > limits.body:
        raise Refusal(413, f"a body may have {limits.body} bytes at most")
    return int(text)
