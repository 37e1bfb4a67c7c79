"""Run the parser of any grammar in a sandbox, for ``parsers test`` and ``damage``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.compile import GrammarError, parser_folder
from conformance.process import JsonLinesProgram, Limits
from conformance.sandbox import Sandbox, python_paths
from reference_impl.paths import PACKAGES

#: Time limit of one reply in seconds.
SECONDS = 60
FILE_BYTES = 1 << 30


class SandboxedGrammar:
    """A compiled grammar, and a sandboxed process that runs its parser.

    The process is ``python -m WORKER GRAMMAR``. It can read the folder of the grammar, the
    packages, the system and Python, but cannot write anything. For ``in_steps``, see
    :func:`conformance.kaitai.compile.compiled`. Raises ``ToolMissing``. Raises ``GrammarError``,
    also if the id of the grammar differs from its file name.
    """

    def __init__(self, grammar: Path, worker: str, in_steps: bool = False) -> None:
        grammar = grammar.resolve()
        parser = parser_folder(grammar.stem, grammars=grammar.parent, in_steps=in_steps)
        id = yaml.safe_load(grammar.read_bytes())["meta"]["id"]
        if id != grammar.stem:
            raise GrammarError(f"{grammar}: meta/id is `{id}`, so the file must be named {id}.ksy")
        self._folder = tempfile.TemporaryDirectory(prefix="walproof-sandbox-")
        self.sandbox = Sandbox(
            Path(self._folder.name),
            reads=[*python_paths(), PACKAGES, grammar.parent, parser],
            bare=True,
        )
        self._worker = JsonLinesProgram(
            [sys.executable, "-P", "-B", "-m", worker, str(grammar)],
            self.sandbox,
            {"PYTHONPATH": str(PACKAGES)},
            SECONDS,
            Limits(file_bytes=FILE_BYTES),
        )

    def request(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply. Raises ``NoReply``; the next request restarts the process."""
        return self._worker.request(message)

    def close(self) -> None:
        """Stop the process."""
        self._worker.close()
        self._folder.cleanup()
