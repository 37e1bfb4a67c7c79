"""The parser of a grammar that may be anybody's, asked in a box: by ``ksy-test`` and ``damage``."""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from conformance.isolation import Box
from conformance.isolation.boxed import LIMITS, MEMORY, Boxed, python_places
from conformance.kaitai.compile import GrammarError, parser_folder
from reference_impl.places import PACKAGES

SECONDS = 60
"""What one answer may take."""


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
        self.box = Box(
            Path(self._own.name),
            reads=[*python_places(), PACKAGES, grammar.parent, parser],
            limits={**LIMITS, resource.RLIMIT_AS: MEMORY},
        )
        self._worker = Boxed(
            [sys.executable, "-P", "-B", "-m", worker, str(grammar)],
            self.box,
            {**self.box.bare(), "PYTHONPATH": str(PACKAGES)},
            SECONDS,
        )

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply. Raises ``NoReply``; the next request starts the process anew."""
        return self._worker.ask(request)

    def close(self) -> None:
        """End the process."""
        self._worker.close()
        self._own.cleanup()
