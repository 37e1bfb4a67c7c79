"""A session that restarts the program under test after it has ended."""

from __future__ import annotations

from typing import Any

from conformance.scratch import Scratch
from conformance.session import PROGRAM_FAILURES, ProtocolSession
from conformance.subject import Subject


class RestartedSession:
    """A session with a sandboxed program, which can change the files in :attr:`scratch`."""

    def __init__(self, subject: Subject, wall_ms: int) -> None:
        self.scratch = Scratch()
        self.hello: dict[str, Any] = {}
        self._command, self._wall_ms = subject.command, wall_ms
        self._sandbox = subject.sandbox(self.scratch.folder)
        self._session: ProtocolSession | None = None
        self._seq = 0

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a message with its number, and return the reply. Raises ``PROGRAM_FAILURES``."""
        self._seq += 1
        try:
            if self._session is None:
                self._session = ProtocolSession(self._command, sandbox=self._sandbox)
                self.hello = self._session.start()
            writes = "write" in self.hello["profiles"] or self.hello.get("also_writes")
            if message["cmd"] == "write" and not writes:
                return {"skipped": "it does not write"}
            return self._session.request(message | {"seq": self._seq}, self._wall_ms)
        except PROGRAM_FAILURES:
            self._session = None
            raise

    def close(self) -> None:
        """End the program, and remove the scratch files."""
        if self._session is not None:
            self._session.close()
        self.scratch.close()
