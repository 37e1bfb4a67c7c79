"""Everything that competes: the readers of this project, and what ``bench.toml`` files declare."""

from __future__ import annotations

from reference_impl.formats import FORMATS
from walproof.bench import declared, own
from walproof.bench.contender import Contender
from walproof.implementations import all_implementations


def contenders() -> list[Contender]:
    """All contenders, by format, and in each format the peer first."""
    found = [one for format_id in FORMATS for one in own.contenders_of(format_id)]
    found += [one for each in all_implementations() for one in declared.contenders_of(each)]
    return sorted(found, key=lambda one: (one.format, not one.peer, one.name))
