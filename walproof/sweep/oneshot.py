"""Programs without the protocol: ``PROGRAM read FORMAT PATH [strict]`` prints the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.cases import found_at
from conformance.contents import Contents
from conformance.process import Crash, OverLimit, Timeout
from conformance.process import Limits as ProcessLimits
from conformance.protocol.messages import ProtocolError
from conformance.sandbox import Sandbox
from conformance.session import PROGRAM_FAILURES, OneShotSession, reported_parts
from walproof.sweep.children import Asker, Limits, Patience, Reply
from walproof.sweep.judge import (
    CRASH,
    OVER_LIMIT,
    PROTOCOL_ERROR,
    SKIPPED,
    TIMEOUT,
)
from walproof.sweep.readers import put

_OUTCOMES = {
    Crash: CRASH,
    Timeout: TIMEOUT,
    OverLimit: OVER_LIMIT,
    ProtocolError: PROTOCOL_ERROR,
}


class OneShotAsker(Asker):
    """Runs the program once for each case: slow, but each case has its own process."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        format: str,
        scratch: Path,
        limits: Limits,
        patience: Patience | None = None,
        box: Sandbox | None = None,
    ) -> None:
        super().__init__(name, command, format, scratch, limits, patience, box)
        limited = ProcessLimits(memory_bytes=limits.memory, output_bytes=limits.output)
        self._program = OneShotSession(command, limited, box)

    def ask(
        self, token: Any, name: str, contents: Contents, context: str, profile: str = "recover"
    ) -> None:
        """Run it on one log."""
        if not self._may_ask(token):
            return
        place = self._scratch / name
        put(contents, place)
        request = {"seq": 0, "format": self.format, "path": str(place), "profile": profile}
        request["context"] = json.loads(context) if context else {}
        try:
            reply = self._program.request(request, self.limits.wall_ms)
        except PROGRAM_FAILURES as error:
            self.deaths += 1
            if isinstance(error, Timeout) and self.patience is not None:
                self.patience.timed_out(self.name, token)
            self.replies.append(Reply(token, None, _outcome(error), str(error)))
            return
        if "skipped" in reply:
            self.replies.append(Reply(token, None, SKIPPED, str(reply["skipped"])))
            return
        answer = reply["answer"]
        changed = found_at(place) != contents
        self.replies.append(Reply(token, answer, changed=changed, reports=reported_parts(answer)))

    def drain(self) -> None:
        """Nothing is outstanding."""

    def close(self) -> None:
        """Nothing is left running."""


def _outcome(error: Exception) -> int:
    return next(outcome for kind, outcome in _OUTCOMES.items() if isinstance(error, kind))
