"""An HTTP server that forwards requests to a store and makes some of them fail."""

from __future__ import annotations

import http.client
import re
import socket
import struct
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.s3 import LOOPBACK

ERRORS = {"error": (500, "InternalError"), "busy": (503, "SlowDown")}
KINDS = (*ERRORS, "slow", "reset", "half", "unanswered")


@dataclass
class Fault:
    """A fault that affects requests ``first`` to ``last`` among those that match ``path``.

    The matching requests are counted from 0. ``path`` is a regular expression. ``error`` and
    ``busy`` are S3 error replies, and ``slow`` delays the reply. The other faults close the
    connection: ``reset`` does so before the request is processed, ``unanswered`` afterwards, and
    ``half`` in the middle of the reply.
    """

    kind: str
    first: int
    last: int
    path: str = ""


class FaultyStore(ThreadingHTTPServer):
    """The server, listening at ``address``. Use it in a ``with`` block."""

    daemon_threads = True

    def __init__(self, backend: str) -> None:
        super().__init__((LOOPBACK, 0), Handler)
        self.backend = backend
        self.address = f"{LOOPBACK}:{self.server_port}"
        self._lock = threading.Lock()
        self.strike(None)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def strike(self, fault: Fault | None) -> None:
        """Set the fault, and count ``requests`` and ``hits`` from 0 again."""
        with self._lock:
            self.fault, self.requests, self.hits, self._matching = fault, 0, 0, 0

    def next_fault(self, path: str) -> str | None:
        """Count a request; return the kind of fault that affects it."""
        with self._lock:
            self.requests += 1
            if self.fault is None or not re.search(self.fault.path, path):
                return None
            self._matching += 1
            is_hit = self.fault.first < self._matching <= self.fault.last + 1
            self.hits += is_hit
            return self.fault.kind if is_hit else None

    def shutdown_request(self, request: object) -> None:
        # Skip the regular shutdown, which the client would see before the reset.
        self.close_request(request)  # type: ignore[arg-type]


class Handler(BaseHTTPRequestHandler):
    """One client connection."""

    protocol_version = "HTTP/1.1"
    server: FaultyStore

    def do_GET(self) -> None:
        kind = self.server.next_fault(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if kind == "slow":
            time.sleep(0.02)
        if kind == "reset":
            self._reset()
            return
        if kind in ERRORS:
            status, code = ERRORS[kind]
            self._reply(status, [], f"<Error><Code>{code}</Code></Error>".encode())
            return
        store = http.client.HTTPConnection(self.server.backend, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name != "Expect"}
        store.request(self.command, self.path, body or None, headers)
        answer = store.getresponse()
        data = answer.read()
        store.close()
        if kind != "unanswered":
            is_half = kind == "half"
            self._reply(answer.status, answer.getheaders(), data, is_half)
        if kind in ("half", "unanswered"):
            self._reset()

    do_HEAD = do_POST = do_GET

    def _reply(
        self, status: int, headers: list[tuple[str, str]], data: bytes, is_half: bool = False
    ) -> None:
        self.send_response_only(status)
        sent = {name.lower() for name, _ in headers}
        for name, value in headers:
            if name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        if "content-length" not in sent:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if is_half else data)

    def _reset(self) -> None:
        # With SO_LINGER, closing the connection sends the client a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:  # the client has closed the connection
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""
