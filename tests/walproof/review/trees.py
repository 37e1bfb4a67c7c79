"""Copies of this repository for a review, of which one has a change."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from conformance import ROOT
from walproof.review.review import Review, review
from walproof.review.revision import PARTS

FORMAT = "leveldb-log"
#: The changes in these tests have an effect on these vectors of ``FORMAT``.
SLUGS = (
    "checksum-flipped-in-first-block", "checksum-flipped-in-first-record", "cut-in-a-header",
    "cut-in-a-payload", "empty-first-then-damage", "first-then-full", "fragments-in-two-blocks",
    "header-of-zeros-before-other-records", "length-beyond-the-block-at-the-end",
    "length-beyond-the-block-in-mid-log", "one-record", "payload-flipped-in-middle-fragment",
    "payload-flipped-in-second-record", "three-records",
)  # fmt: skip


def copy_of_repository(root: Path, format: str = FORMAT, slugs: tuple[str, ...] = SLUGS) -> Path:
    """Copy the parts that a review compares, with vectors of one format. No ``slugs`` means all."""
    for part in PARTS:
        if part != "vectors":
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, root / part, ignore=ignored)
    (root / "vectors" / format).mkdir(parents=True)
    for path in (ROOT / "vectors" / format).iterdir():
        if not slugs or path.name.partition(".")[0] in slugs:
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, root / "vectors" / format / path.name)
    return root


def apply(diff: str, root: Path) -> None:
    """Apply a diff without line numbers; its old lines must occur in the file exactly once."""
    head, *lines = diff.splitlines()
    match = re.fullmatch(r"--- (\S+)", head)
    assert match, head
    file = root / match[1]
    old = "\n".join(line[1:] for line in lines if line[0] in " -")
    new = "\n".join(line[1:] for line in lines if line[0] in " +")
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{text.count(old)} times in {match[1]}: {old}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def run_review(
    root: Path, diff: str, format: str = FORMAT, slugs: tuple[str, ...] = SLUGS, count: int = 30
) -> Review:
    """Review a diff of this repository."""
    old = copy_of_repository(root / "old", format, slugs)
    new = copy_of_repository(root / "new", format, slugs)
    apply(diff, new)
    return review(old, new, "main", (format,), count)
