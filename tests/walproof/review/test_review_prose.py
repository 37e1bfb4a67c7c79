"""Requirements and vectors as documents, and excuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from walproof.review.excuses import FILE, excused, load_excuses
from walproof.review.finding import CannotReview, Finding
from walproof.review.prose import compare_requirements, compare_vectors

CHAPTER = """# A format

**ABC-001 (MUST)** A reader MUST skip
the trailer:

* zeros,
* anything else.

*Why.* Nothing is lost with it.

**ABC-002 (SHOULD)** A writer SHOULD align.

## Next

**ABC-003 (MUST)** Numbers are little-endian.
"""


def chapters(root: Path, text: str) -> Path:
    (root / "spec").mkdir(parents=True)
    (root / "spec" / "a.md").write_text(text, encoding="utf-8")
    return root


def rules(tmp_path: Path, new: str) -> dict[str, str]:
    old, changed = chapters(tmp_path / "old", CHAPTER), chapters(tmp_path / "new", new)
    return {f"{f.rule} {f.subject}": f.change for f in compare_requirements(old, changed)}


def test_line_breaks_and_rationale_are_ignored(tmp_path: Path) -> None:
    new = CHAPTER.replace("skip\nthe trailer", "skip the\ntrailer").replace("with it", "there")
    assert rules(tmp_path, new) == {}


def test_list_belongs_to_its_requirement(tmp_path: Path) -> None:
    findings = rules(tmp_path, CHAPTER.replace("anything else", "ones"))
    assert list(findings) == ["REQUIREMENT_REWORDED ABC-001"]
    change = findings["REQUIREMENT_REWORDED ABC-001"]
    assert "anything else" in change.split("→")[0] and "* ones" in change.split("→")[1]


def test_level_removal_and_addition_of_requirements(tmp_path: Path) -> None:
    new = CHAPTER.replace("ABC-002 (SHOULD)", "ABC-002 (MUST)").replace("ABC-003", "ABC-004")
    assert set(rules(tmp_path, new)) == {
        "REQUIREMENT_LEVEL ABC-002",
        "REQUIREMENT_REMOVED ABC-003",
        "REQUIREMENT_ADDED ABC-004",
    }


def body(**changes: Any) -> dict[str, Any]:
    answer = {"verdict": "intact", "reason": None, "records": [], "lost": [], "end": 0}
    return {"id": "f/a", "format": "f", "kind": "valid", "control": None, "sha256": "0",
            "requirements": ["ABC-001", "ABC-002"], "expect": answer, **changes}  # fmt: skip


def vector_findings(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    return [(f.rule, f.classes) for f in compare_vectors({"f/a": old}, {"f/a": new})]


def test_changed_requirements_and_answers_of_vectors() -> None:
    torn = {**body()["expect"], "verdict": "torn"}
    assert vector_findings(body(), body()) == []
    assert vector_findings(body(), body(requirements=["ABC-001"])) == [
        ("VECTOR_REQUIREMENT", ("TEXT",))
    ]
    assert vector_findings(body(), body(expect=torn)) == [("VECTOR_ANSWER", ("READ",))]
    damaged = {"kind": "corrupt", "control": "f/b"}
    assert vector_findings(body(**damaged), body(expect=torn, **damaged)) == [
        ("VECTOR_ANSWER", ("RECOVER",))
    ]
    assert vector_findings(body(), body(expect=torn, sha256="1")) == [("VECTOR_ANSWER", ("TEXT",))]


def test_added_and_removed_vectors() -> None:
    findings = compare_vectors({"f/a": body()}, {"f/b": body()})
    assert [finding.rule for finding in findings] == ["VECTOR_REMOVED", "VECTOR_ADDED"]


def test_excuse_matches_rule_and_subject(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        '[[excuse]]\nrule = "FIELD_RESIZED"\nsubject = "header.*"\nreason = "announced"\n'
        '[[excuse]]\nrule = "FIELD_MOVED"\nreason = "of old"\n'
    )
    findings = [
        Finding("FIELD_RESIZED", ("READ",), "breaking", subject, "", "")
        for subject in ("header.length", "trailer.length")
    ]
    marked, unused = excused(findings, load_excuses(tmp_path / FILE))
    assert [finding.breaks for finding in marked] == [False, True]
    assert [excuse.rule for excuse in unused] == ["FIELD_MOVED"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[excuse]]\nrule = "FIELD_RESIZED"\n', "expected a reason"),
        ('[[excuse]]\nrule = "NO_SUCH"\nreason = "x"\n', "unknown rule 'NO_SUCH'"),
        ('[[excuse]]\nrule = "FIELD_MOVED"\nreason = "x"\nfile = "y"\n', "unknown key 'file'"),
        ("[[excuse\n", FILE),
    ],
)
def test_invalid_excuses_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(CannotReview, match=message.replace(".", r"\.")):
        load_excuses(tmp_path / FILE)
