"""An HTTP server that forwards requests to a store, and injects faults into some of them.

``FaultyStore`` starts this server as a separate process, in front of a store that works correctly.
Each ``Fault`` numbers the requests that match it, and affects a range of these numbers.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from tests.s3 import LOOPBACK

ERRORS = {
    "error": (500, "InternalError"),
    "busy": (503, "SlowDown"),
}
KINDS = (*ERRORS, "slow", "reset", "half", "unanswered")


@dataclass
class Fault:
    """A fault that affects the matching requests ``first`` to ``last``, counted from 0.

    ``error`` and ``busy`` are replies of S3. ``slow`` waits for ``seconds``. The other faults close
    the connection: ``reset`` before the request is processed, ``unanswered`` after it was
    processed, and ``half`` in the middle of the reply. ``method`` and ``path`` are regular
    expressions.
    """

    kind: str
    first: int
    last: int
    method: str = ""
    path: str = ""
    seconds: float = 0.0


class FaultyStore:
    """The process; ``address`` is where it listens. Use it in a ``with`` block."""

    def __init__(self, backend: str) -> None:
        program = [sys.executable, "-m", __name__, backend, LOOPBACK, "0"]
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.address = f"{LOOPBACK}:{self._answer()['port']}"

    def strike(self, fault: Fault | None) -> dict[str, int]:
        """Change the fault. How many requests came since the last change, fitted, and were hit."""
        assert self._process.stdin is not None
        print(json.dumps(fault and asdict(fault)), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, int]:
        assert self._process.stdout is not None
        return dict(json.loads(self._process.stdout.readline()))

    def __enter__(self) -> FaultyStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()


class Handler(BaseHTTPRequestHandler):
    """One connection of a client, and one to the server behind it."""

    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        """See ``socketserver``."""
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.behind = http.client.HTTPConnection(self.server.backend, timeout=60)

    def handle_one_request(self) -> None:
        """See ``http.server``; a client that is gone is no fault of ours."""
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def pass_on(self) -> None:
        """Answer one request, or not."""
        fault = self.server.fault_of(self.command, self.path)
        kind = fault.kind if fault else ""
        if fault is not None:
            time.sleep(fault.seconds)
        is_chunked = self.headers.get("Transfer-Encoding") == "chunked"
        if is_chunked:
            body = b"".join(self._chunks())
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if kind == "reset":
            self._break()
            return
        if kind in ERRORS:
            status, code = ERRORS[kind]
            text = f"<Error><Code>{code}</Code><Message>as ordered</Message></Error>".encode()
            self._reply(status, [("Content-Type", "application/xml")], text)
            return
        headers = {name: value for name, value in self.headers.items() if name != "Expect"}
        if is_chunked:
            self.behind.request(self.command, self.path, iter([body]), headers, encode_chunked=True)
        else:
            self.behind.request(self.command, self.path, body or None, headers)
        answer = self.behind.getresponse()
        data = answer.read()
        if kind == "unanswered":
            self._break()
            return
        self._reply(answer.status, answer.getheaders(), data, half=kind == "half")

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = pass_on

    def _chunks(self) -> Iterator[bytes]:
        """A body whose length nobody knew beforehand (RFC 9112, 7.1)."""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def _reply(
        self, status: int, headers: list[tuple[str, str]], data: bytes, half: bool = False
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
            self.wfile.write(data[: len(data) // 2] if half else data)
        if half:
            self._break()

    def _break(self) -> None:
        # With this the other side sees a reset, not an end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def finish(self) -> None:
        """See ``socketserver``."""
        self.behind.close()
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the counts say it."""


class Server(ThreadingHTTPServer):
    """Keeps the fault and the counts for all connections."""

    daemon_threads = True

    def __init__(self, backend: str, host: str, port: int) -> None:
        self.backend = backend
        self._lock = threading.Lock()
        self._fault: Fault | None = None
        self._counts = {"all": 0, "fit": 0, "hit": 0}
        super().__init__((host, port), Handler)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Close without the polite end, which would come before a reset."""
        self.close_request(request)

    def fault_of(self, method: str, path: str) -> Fault | None:
        """The fault that strikes this request, which is counted."""
        with self._lock:
            self._counts["all"] += 1
            fault = self._fault
            if fault is None or not (
                re.match(fault.method, method) and re.search(fault.path, path)
            ):
                return None
            number = self._counts["fit"]
            self._counts["fit"] += 1
            if not fault.first <= number <= fault.last:
                return None
            self._counts["hit"] += 1
            return fault

    def obey(self, line: str) -> dict[str, int]:
        """Take a new fault, or none; the counts until now."""
        given = json.loads(line)
        with self._lock:
            self._fault = Fault(**given) if given else None
            counts, self._counts = self._counts, dict.fromkeys(self._counts, 0)
        return counts


def main() -> None:
    """Serve until there is nobody to obey."""
    backend, host, port = sys.argv[1:]
    with Server(backend, host, int(port)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(json.dumps({"port": server.server_address[1]}), flush=True)
        for line in sys.stdin:
            print(json.dumps(server.obey(line)), flush=True)


if __name__ == "__main__":
    main()
