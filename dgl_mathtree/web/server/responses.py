"""Responses with the security headers that all of them carry, and refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

# The page may load from and ask this server only, and no other page may embed or use it.
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
STATUSES = {
    400: "The request is malformed, or its fields are missing, unknown or of the wrong type.",
    403: "The request comes from a page of another site.",
    408: "The request was not complete in time.",
    413: "The body is larger than 10,000 bytes.",
    415: "The body is not declared as application/json.",
    421: "The server does not answer under the name in the Host header.",
    422: "The equation cannot be parsed, has more than 2,000 nodes, or cannot be answered by the model.",
    431: "The headers are larger than 8,000 bytes.",
    500: "A fault of the server.",
    503: "Too many requests at once (with Retry-After), or this one takes too long or too much memory.",
}
"""Why the API refuses a request, by status."""


def make_response(
    status: int, body: bytes, content_type: str = "application/json", headers: Mapping[str, str] | None = None
) -> Response:
    """A response; each ends its connection, so that no idle connection is kept."""
    own = {"Content-Type": content_type, "Connection": "close", "Cache-Control": "no-store"}
    return Response(body, status, own | SECURITY | dict(headers or {}))


class Refusal(Exception):
    """A request that is refused.

    Parameters
    ----------
    status : int
        HTTP status.
    reason : str
        One line: what is wrong, and what would be right.
    headers : mapping of str to str, optional
        Headers that belong to the status, such as ``Retry-After``.
    """

    def __init__(self, status: int, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.headers = status, reason, dict(headers or {})

    @property
    def response(self) -> Response:
        """The response that reports it."""
        return make_response(self.status, json.dumps({"error": self.reason}).encode("ascii"), headers=self.headers)


def busy(reason: str) -> Refusal:
    """The refusal of a request that may be repeated after a second."""
    return Refusal(503, reason, {"Retry-After": "1"})
