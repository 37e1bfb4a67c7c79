"""Changed requirements are classified by their effect."""

from __future__ import annotations

from pathlib import Path

from walproof.review.prose import compare_registers, compare_requirements, word_difference

from .trees import apply, copy_of_repository

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
    assert change.endswith("* zeros, * [-anything else.-] {+ones.+}")


def test_word_difference_shows_three_words_around_a_change() -> None:
    old = "a b c d e f g h i j"
    assert word_difference(old, old.replace("e", "x")) == "… b c d [-e-] {+x+} f g h …"
    assert word_difference(old, f"{old} k") == "… h i j {+k+}"
    assert word_difference(old, old.removeprefix("a ")) == "[-a-] b c d …"


def test_requirement_names_its_vectors_and_the_readers_that_fail_them(tmp_path: Path) -> None:
    old, new = (copy_of_repository(tmp_path / side) for side in ("old", "new"))
    apply("--- spec/leveldb-log.md\n-**LDB-028 (MUST)**\n+**LDB-028 (SHOULD)**", new)
    (finding,) = compare_requirements(old, new)
    assert (finding.rule, finding.severity) == ("REQUIREMENT_LEVEL", "warning")
    assert "; vectors: " in finding.hurts and "checksum-flipped-in-first-block" in finding.hurts
    assert "; known to fail them: " in finding.hurts and "dfindexeddb" in finding.hurts


def test_changed_entries_of_registers(tmp_path: Path) -> None:
    old, new = (tmp_path / side / "spec" for side in ("old", "new"))
    for folder in (old, new):
        folder.mkdir(parents=True)
    (old / "a.toml").write_text('[reasons.gap]\nwords = "a gap"\n[reasons.end]\nwords = "b"\n')
    (new / "a.toml").write_text('[reasons.gap]\nwords = "a hole"\n[fields.at]\nwords = "c"\n')
    findings = list(compare_registers(old.parent, new.parent))
    assert [(f.subject, f.severity) for f in findings] == [
        ("fields.at", "note"), ("reasons.end", "warning"), ("reasons.gap", "note"),
    ]  # fmt: skip


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
