"""Check traceability: requirement ids connect prose, code, grammars and vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.traceability import ids, tables, vector_rules
from conformance.traceability.source_tree import Found, SourceTree

Rule = Callable[[SourceTree], Iterator[Found]]

RULES: tuple[Rule, ...] = (
    ids.malformed_requirement,
    ids.duplicate_requirement,
    ids.unknown_citation,
    ids.requirement_without_vector,
    ids.vector_with_unknown_requirement,
    ids.unknown_requirement_in_grammar,
    vector_rules.damage_without_control,
    vector_rules.broken_control,
    vector_rules.missing_recipe,
    vector_rules.unknown_field,
    vector_rules.undefined_reason,
    vector_rules.unused_reason,
    vector_rules.wrong_decision,
    vector_rules.unexercised_decision,
    vector_rules.unproven_without_vector,
    tables.stale_table,
    tables.stale_schema,
    tables.fault_without_reason,
    tables.undecided_part,
    tables.foreign_prefix,
    tables.unexplained_flip,
    vector_rules.unsound_known_failure,
)


@dataclass(frozen=True)
class Problem:
    """One broken connection: the rule, the place (a file and line, or a vector), and the fault."""

    rule: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what} [{self.rule}]"


def problems(root: Path) -> list[Problem]:
    """Return all problems of a source tree."""
    tree = SourceTree(root)
    return [Problem(rule.__name__, where, what) for rule in RULES for where, what in rule(tree)]
