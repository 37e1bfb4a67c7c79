"""``walproof lint-ksy``: what a grammar must not do if its parsers are to agree in all languages.

The compiler accepts everything that is found here. Each rule is a function in ``order`` (the style
guide), ``traps`` (languages that differ) or ``logs`` (this project's).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from conformance.parsers.lint import order, traps
from conformance.parsers.lint.grammar import Finding, LintedGrammar

RULES: dict[str, Callable[[LintedGrammar], Iterator[Finding]]] = {**order.RULES, **traps.RULES}
"""By id, in the order in which findings of one line are reported."""


def lint(path: Path) -> list[Finding]:
    """The findings in one grammar, by line. A file that is no YAML is one finding."""
    try:
        grammar = LintedGrammar(path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return [Finding(path, *place, "yaml", f"no YAML: {error.problem}; the compiler says more")]
    except ValueError as error:
        return [Finding(path, 1, 1, "yaml", str(error))]
    found = [finding for rule in RULES.values() for finding in rule(grammar)]
    return sorted(found, key=lambda finding: (finding.line, finding.column))
