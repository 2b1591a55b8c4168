"""uvicorn's HTTP protocol with the limits that it lacks: of connections, and of time for requests and their clients."""

from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from dgl_mathtree.web.server.limits import Limits
from dgl_mathtree.web.server.responses import Refusal, busy

LINGER = 1.0
"""Seconds in which a client may still send after its answer."""
PROBE = 0.2
"""Seconds between looks whether a client that has ended its side still listens."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class LingeringTransport:
    """A transport whose `close` lets the client read its answer.

    Closed while a client still sends, a connection is reset, and the answer may be lost. So first only our side is
    ended, and what still comes is discarded until the client ends its own side, or for a second; a client that does not
    read its answer has as long as for its request.
    """

    def __init__(self, transport: asyncio.Transport, limits: Limits) -> None:
        self._transport, self._limits = transport, limits
        self._loop = asyncio.get_running_loop()
        self._until: float | None = None
        self.is_half_closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._until is not None or self._transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        self._until = self._loop.time() + self._limits.reading
        if self.is_half_closed:
            self._transport.close()  # sends what is written first
        else:
            try:
                self._transport.write_eof()
            except OSError:  # the client has reset the connection, which we have not read yet
                self._transport.abort()
                return
            self._transport.resume_reading()
        self._loop.call_later(LINGER, self._abort)

    def _abort(self) -> None:
        assert self._until is not None
        if self._transport.get_write_buffer_size() and self._loop.time() < self._until:
            self._loop.call_later(LINGER, self._abort)
        else:
            self._transport.abort()


class LimitedProtocol(H11Protocol):
    """One connection. `limits` is set by a subclass, since uvicorn creates the instances."""

    limits: ClassVar[Limits] = Limits()
    _start = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, LingeringTransport(transport, self.limits)))
        self.app_state = {"is_gone": self.transport.is_closing}  # the application asks before it computes
        self._deadline = self.loop.call_later(self.limits.reading, self._end_slow_request)
        if len(self.connections) > 2 * self.limits.connections:  # too many even to be told so
            transport.abort()
        elif len(self.connections) > self.limits.connections:
            self._make_room()

    def _make_room(self) -> None:
        """Refuse the connection that has waited longest for its request, so that slow clients hold up nobody."""
        peers = [peer for peer in self.connections if isinstance(peer, LimitedProtocol)]
        open_peers = [peer for peer in peers if not peer.transport.is_closing()]
        if len(open_peers) > self.limits.connections:
            slowest = min(filter(LimitedProtocol.is_incomplete, open_peers), key=lambda peer: peer._deadline.when())
            slowest.refuse(busy(f"{self.limits.connections} connections are open, and this one was the slowest"))

    def is_incomplete(self) -> bool:
        """Whether the request has not arrived completely."""
        return self.cycle is None or self.cycle.more_body

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._deadline.cancel()

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self._start = self._start or data[:5]
            super().data_received(data)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Answer a request whose client has ended its side, unless the client is gone altogether.

        Both look alike until something is sent: who is gone answers an interim response with a reset.
        """
        self.transport.is_half_closed = True  # type: ignore[attr-defined]
        if self.transport.is_closing() or not self._start:
            return None
        if self.is_incomplete():
            self.refuse(Refusal(400, "the connection was closed before the request was complete"))
        elif self.scope["http_version"] == "1.1" and not self.cycle.response_started:
            self.transport.write(CONTINUE)
            self._abort_if_gone()
        return True

    def _abort_if_gone(self) -> None:
        if self.transport.is_closing() or self.cycle.response_started:
            return
        if self.transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.transport.abort()
        else:
            self.loop.call_later(PROBE, self._abort_if_gone)

    def _end_slow_request(self) -> None:
        if not self.transport.is_closing() and self.is_incomplete():
            self.refuse(Refusal(408, f"the request was not complete after {self.limits.reading:g} seconds"))

    def send_400_response(self, msg: str) -> None:
        """Refuse what h11 cannot read."""
        if len(self.conn.trailing_data[0]) > self.limits.head:
            self.refuse(Refusal(431, f"the request's headers are larger than {self.limits.head} bytes"))
        else:
            self.refuse(Refusal(400, "this is not a valid HTTP/1.1 request"))

    def refuse(self, refusal: Refusal) -> None:
        """Answer without the application, which gets nothing of this request, or nothing more."""
        if self.cycle is not None:
            if self.cycle.response_started:
                self.transport.abort()
                return
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        response = refusal.response
        lines = [b"HTTP/1.1 %d %s" % (refusal.status, HTTPStatus(refusal.status).phrase.encode())]
        lines += [b"%s: %s" % header for header in response.raw_headers]
        body = b"" if self._start == b"HEAD " else bytes(response.body)
        self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()

    def shutdown(self) -> None:
        """End at once where there is no complete request; else let it be answered."""
        if not self.transport.is_closing() and self.is_incomplete():
            self.transport.abort()
