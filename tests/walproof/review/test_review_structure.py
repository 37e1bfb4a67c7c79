"""Each prepared change to a grammar has the expected classes and rules."""

from __future__ import annotations

import struct
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

from conformance import ROOT
from walproof.review.grammar import Grammar
from walproof.review.grammars import GrammarRun
from walproof.review.logs import LogUnderReview
from walproof.review.revision import Worker
from walproof.review.structure import GrammarDiff
from walproof.review.worker import answered

HERE = Path(__file__).parent
GRAMMAR = (HERE / "toy_log.ksy").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
CHANGES = tomllib.loads((HERE / "changes.toml").read_text(encoding="utf-8"))["change"]


def toy_log(flags: int, *records: tuple[int, bytes]) -> bytes:
    """Return a toy log of records, each with a kind and a body; an empty body ends the log."""
    header = b"TOYLOG" + struct.pack("<HHQB7x", 1, 16, 0, flags)
    for number, (kind, body) in enumerate(records):
        header += struct.pack("<IHB", 7, len(body), kind)
        header += struct.pack("<I", number) * (flags & 1) + body
    return header


PUT, DELETE = (1, b"\x01\0kvalue"), (2, b"\0\0")
#: Logs of the unchanged grammar. The second last ends in reserved space, the last in a sequence.
LOGS = [
    toy_log(0, PUT, DELETE, PUT),
    toy_log(1, PUT, DELETE),
    toy_log(3, DELETE, PUT),
    toy_log(0, PUT, (1, b"")) + bytes(40),
    toy_log(1, PUT, DELETE, (2, b"")),
]


class InProcess:
    """A worker without a sandbox that uses parsers of the grammars in this test."""

    def ask(self, **request: Any) -> dict[str, Any]:
        return answered(request)


def replaced(text: str, pairs: list[list[str]]) -> str:
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the grammar"
        text = text.replace(old, new)
    return text


def tree(root: Path, grammar: str) -> Path:
    (root / "ksy").mkdir(parents=True)
    (root / "ksy" / "toy_log.ksy").write_text(grammar, encoding="utf-8")
    return root


@pytest.mark.parametrize("change", CHANGES, ids=[change["title"] for change in CHANGES])
def test_prepared_change_gets_expected_classes_and_rules(
    change: dict[str, Any], tmp_path: Path
) -> None:
    old, new = (
        tree(tmp_path / key, replaced(GRAMMAR, change.get(key, []))) for key in ("base", "replace")
    )
    diff = GrammarDiff(Grammar("toy_log", old), Grammar("toy_log", new))
    findings = diff.findings()
    if any(finding.fields or finding.rule == "FIELD_RESHAPED" for finding in findings):
        run = GrammarRun({"toy_log": diff}, "toy-log", cast(Worker, InProcess()), tmp_path)
        for number, data in enumerate(LOGS):
            run.read(LogUnderReview(f"{number}", "toy-log", data, {}, {"old"}, False))
        findings = run.structural()
    breaks = {c for finding in findings if finding.severity == "breaking" for c in finding.classes}
    assert breaks == set(change["breaks"]), findings
    rules = {finding.rule for finding in findings}
    assert rules >= set(change["rules"]), findings
    assert not rules & set(change.get("absent", [])), findings
    if not change["rules"]:
        assert findings == []
    for finding in findings:
        assert f"| `{finding.rule}` |" in PAGE
        assert finding.where.startswith("ksy/toy_log.ksy:")
        assert finding.hurts
