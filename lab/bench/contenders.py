"""Everything that competes: the readers of this project, and what ``bench.toml`` files declare."""

from __future__ import annotations

from lab.bench import declared, our_readers
from lab.bench.contender import Contender
from reference_impl.formats import FORMATS
from walproof.implementations import all_implementations


def contenders() -> list[Contender]:
    """All contenders, by format, and in each format the peer first."""
    found = [one for format_id in FORMATS for one in our_readers.contenders_of(format_id)]
    found += [one for each in all_implementations() for one in declared.contenders_of(each)]
    return sorted(found, key=lambda one: (one.format, not one.peer, one.name))
