"""Each prepared change to a grammar is reported with the expected classes and rules."""

from __future__ import annotations

import struct
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

from conformance import ROOT
from walproof.review.affected import uses_of_field
from walproof.review.grammars import EFFECTS, compare_grammars, read_with_grammars
from walproof.review.logs import ReviewedLog
from walproof.review.revision import RevisionReaders
from walproof.review.worker import answered

HERE = Path(__file__).parent
GRAMMAR = (HERE / "toy_log.ksy").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
CHANGES = tomllib.loads((HERE / "changes.toml").read_text(encoding="utf-8"))["change"]


def toy_log(flags: int, *records: tuple[int, bytes]) -> bytes:
    """Return a toy log. Each record has a kind and a body, and an empty body ends the log."""
    header = b"TOYLOG" + struct.pack("<HHQB7x", 1, 16, 0, flags)
    for number, (kind, body) in enumerate(records):
        header += struct.pack("<IHB", 7, len(body), kind)
        header += struct.pack("<I", number) * (flags & 1) + body
    return header


PUT, DELETE = (1, b"\x01\0kvalue"), (2, b"\0\0")
#: Logs of the unchanged grammar. The second to last ends in reserved space, and the last ends in a
#: sequence.
LOGS = [
    toy_log(0, PUT, DELETE, PUT),
    toy_log(1, PUT, DELETE),
    toy_log(3, DELETE, PUT),
    toy_log(0, PUT, (1, b"")) + bytes(40),
    toy_log(1, PUT, DELETE, (2, b"")),
]


class InProcess:
    """A worker without a sandbox that uses this test's parsers."""

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
    changes = compare_grammars(old, new)
    logs = [
        ReviewedLog(f"{number}", "toy-log", data, {}, False, sides={"old", "new"})
        for number, data in enumerate(LOGS)
    ]
    table = read_with_grammars(
        changes, "toy-log", logs, cast(RevisionReaders, InProcess()), tmp_path
    )
    findings = [*table.findings(EFFECTS), *(f for c in changes.values() for f in c.findings())]
    breaks = {c for finding in findings if finding.severity == "breaking" for c in finding.classes}
    assert breaks == set(change["breaks"]), findings
    rules = {finding.rule for finding in findings}
    assert rules >= set(change["rules"]), findings
    if not change["rules"]:
        assert findings == []
    for finding in findings:
        assert f"| `{finding.rule}` |" in PAGE
        if finding.rule.startswith("FIELD_"):
            assert finding.where.startswith("ksy/toy_log.ksy")
        assert finding.hurts


def test_uses_of_a_removed_field(tmp_path: Path) -> None:
    for file, source in {
        "spec/toy-log.md": "The length is `len_body`, not `len_body_size`.\n",
        "conformance/recipes/toy_log/lengths.py": 'x = 1\nlog.set("records[0].len_body", 3)\n',
        "conformance/recipes/other_log/lengths.py": 'log.set("records[0].len_body", 3)\n',
        "conformance/implementations/kaitai-x/toy_log.py": "len_body = record.len_key\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(source, encoding="utf-8")
    assert uses_of_field(tmp_path, "toy_log", "len_body") == (
        "2 lines in 2 files with this name (spec/toy-log.md:1,"
        " conformance/recipes/toy_log/lengths.py:2)"
    )
    assert uses_of_field(tmp_path, "toy_log", "len_value") == ""
