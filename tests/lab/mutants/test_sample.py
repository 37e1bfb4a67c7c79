"""Test that the vectors kill a fixed sample of mutants, except those listed as equivalent.

``make mutants`` runs all mutants of all formats, and continuous integration runs those of changed
code. A surviving mutant is a wrong reader or writer that passes all vectors. Add a vector that
kills it, or list it with the reason why no log can show the difference.
"""

from __future__ import annotations

from lab.mutants.choice import Choice
from lab.mutants.report import hunt, wrong

SAMPLE = 12


def test_the_vectors_tell_mutants_from_the_original() -> None:
    report = hunt("kahadb-journal", Choice(sample=SAMPLE), first_kill=True)
    assert report["mutants"] == SAMPLE
    assert report["killed"] > 0
    assert wrong(report) == []
