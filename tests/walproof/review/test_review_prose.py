"""Changed requirements are classified by their effect."""

from __future__ import annotations

from pathlib import Path

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


def test_weaker_norm_is_a_warning_and_a_typo_a_note(tmp_path: Path) -> None:
    old = chapters(tmp_path / "old", CHAPTER)
    typo = chapters(tmp_path / "typo", CHAPTER.replace("the trailer", "a trailer"))
    new = chapters(tmp_path / "new", CHAPTER.replace("MUST skip", "SHOULD skip"))
    (note,), (warning,) = (list(compare_requirements(old, each)) for each in (typo, new))
    assert (note.severity, warning.severity) == ("note", "warning")
    assert warning.change.startswith("must → should: ")
