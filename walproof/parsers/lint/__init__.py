"""``walproof parsers lint``: what keeps the parsers of a grammar from agreeing in all languages.

The compiler accepts everything that is found here. Each rule is a function in ``order`` (the style
guide), ``traps`` (languages that differ) or ``sizes`` (what damage makes negative); a comment
excuses what is meant (``excuses``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import yaml

from conformance.kaitai.compile import GrammarError, compile_to
from walproof.parsers.lint import order, sizes, traps
from walproof.parsers.lint.excuses import excused
from walproof.parsers.lint.grammar import Finding, LintedGrammar

RULES: dict[str, Callable[[LintedGrammar], Iterator[Finding]]] = {
    **order.RULES,
    **traps.RULES,
    **sizes.RULES,
}
"""The rules by id, in the order in which findings of one line are reported."""


def lint(path: Path) -> list[Finding]:
    """The findings in one grammar, by line. A file that is not a grammar is one finding."""
    try:
        grammar = LintedGrammar(path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return [Finding(path, *place, "yaml", f"no YAML: {error.problem}; the compiler says more")]
    except ValueError as error:
        return [Finding(path, 1, 1, "yaml", str(error))]
    found = [finding for rule in RULES.values() for finding in rule(grammar)]
    return sorted(
        excused(path, grammar.text, found, RULES),
        key=lambda finding: (finding.line, finding.column),
    )


def compile_errors(paths: Sequence[Path]) -> list[str]:
    """What the compiler refuses, one ``FILE:LINE:COLUMN: error: WHY`` each.

    Raises ``ToolMissing``.
    """
    with tempfile.TemporaryDirectory() as scratch:
        try:
            compile_to("python", paths, Path(scratch))
        except GrammarError as error:
            return _findings(str(error), paths)
    return []


def _findings(text: str, paths: Sequence[Path]) -> list[str]:
    """The compiler's lines, those joined that do not begin with a file: a name may hold lines."""
    begins = tuple(str(path).splitlines()[0] for path in paths)
    found: list[str] = []
    for line in text.splitlines():
        if found and not line.startswith(begins):
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found
