"""The parser of a grammar that may be anybody's, asked in a box: by ``ksy-test`` and ``damage``."""

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

SECONDS = 60
"""What one answer may take."""
FILE_BYTES = 1 << 30


class BoxedGrammar:
    """A grammar, which is compiled, and a process in a box that runs its parser.

    The process is ``python -m WORKER GRAMMAR``. It reads the grammar's folder, the packages, the
    system and Python, and writes nothing. ``in_steps`` is as in
    :func:`conformance.kaitai.compile.compiled`. Raises ``GrammarError``, also for a grammar of
    another name than its file's, and ``ToolMissing``.
    """

    def __init__(self, grammar: Path, worker: str, in_steps: bool = False) -> None:
        grammar = grammar.resolve()
        parser = parser_folder(grammar.stem, grammars=grammar.parent, in_steps=in_steps)
        id = yaml.safe_load(grammar.read_bytes())["meta"]["id"]
        if id != grammar.stem:
            raise GrammarError(f"{grammar}: its meta/id is `{id}`: name the file {id}.ksy")
        self._own = tempfile.TemporaryDirectory(prefix="walproof-box-")
        self.sandbox = Sandbox(
            Path(self._own.name),
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
        """Return the reply. Raises ``NoReply``; the next request starts the process anew."""
        return self._worker.request(message)

    def close(self) -> None:
        """End the process."""
        self._worker.close()
        self._own.cleanup()
