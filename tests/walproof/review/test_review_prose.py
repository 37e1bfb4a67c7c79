"""Changed requirements, and excuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from walproof.review.excuses import FILE, excused, load_excuses
from walproof.review.finding import CannotReview, Finding
from walproof.review.prose import compare_requirements

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
        ('[[excuse]]\nreason = "x"\n', "expected a rule"),
        ('[[excuse]]\nrule = "FIELD_MOVED"\nreason = "x"\nfile = "y"\n', "unknown key 'file'"),
        ("[[excuse\n", FILE),
    ],
)
def test_invalid_excuses_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(CannotReview, match=message.replace(".", r"\.")):
        load_excuses(tmp_path / FILE)
