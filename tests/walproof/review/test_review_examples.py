"""The examples in docs/review.md are current, and the rules that the page names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance import ROOT
from walproof.review.printing import text

from .trees import run_review

PAGE = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"### (.*?)\n\n```diff\n(.*?)\n```\n\n```text\n(.*?)\n```", PAGE, re.DOTALL)


def shape(line: str) -> str:
    """Remove counts and column widths from a line."""
    return re.sub(r"\s+", " ", re.sub(r"\d+", "N", line)).replace("warnings", "warning").strip()


@pytest.mark.parametrize(
    ("title", "diff", "expected"), EXAMPLES, ids=[e[0].splitlines()[-1] for e in EXAMPLES]
)
def test_examples_of_the_page_are_current(
    title: str, diff: str, expected: str, tmp_path: Path
) -> None:
    printed = [shape(line) for line in text(run_review(tmp_path, diff)).splitlines()]
    for line in expected.splitlines():
        if line != "…":
            assert shape(line) in printed, "\n".join(printed)
            printed = printed[printed.index(shape(line)) + 1 :]


def test_page_has_three_examples() -> None:
    assert len(EXAMPLES) == 3


def test_page_lists_no_removed_rule() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "walproof/review").glob("*.py"))
    listed = re.findall(r"^\| `([A-Z]+_[A-Z_]+)` \|", PAGE, re.MULTILINE)
    assert len(listed) > 20
    for rule in listed:
        # The code assembles the names FIELD_ADDED and FIELD_REMOVED from parts.
        assert f'"{rule}"' in source or rule in ("FIELD_ADDED", "FIELD_REMOVED"), rule
