"""Find phrases that the style of this project avoids: ``make lint``.

The command checks pages, docstrings (including the titles of vectors), and the causes of known
failures.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reference_impl.paths import ROOT

#: Patterns of phrases to avoid, and the words to use instead.
PHRASES = {
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"owe[sd]?": "expected, must return",
    r"processor time": "CPU time",
    r"by the clock": "wall-clock time",
    r"nothing tells|nobody (?:tells|can tell|is told)": "undetectable, no error",
    r"without a word|not a word|in silence": "silently, without an error",
    r"as (?:it|they) comes?": "with default options",
    r"besides[.,;:)]": "also, in addition",
    r"but for": "except",
    r"(?:is|are|was|were|be|been) (?:asked|told|heard|believed|blamed)": "run, passed, configured",
    r"anew": "again",
    r"comes? to life": "is returned as a record",
    r"unseen": "undetected",
    r"whoever|whomever": "the user, the program",
    r"none of the two": "neither",
    r"takes? stock": "inventory",
    r"(?:says|say|said) (?:so|of)": "reports, contains",
    r"of (?:its|their) own accord": "automatically",
    r"nothing of (?:it|ours)": "none",
    r"(?<!here\s)(?:is|are) no (?:log|vector|record|file|error|reader)s?": "is not a",
}
#: Phrases that the titles of vectors may contain, because changing a title changes the vector.
PHRASES_OUTSIDE_TITLES = {
    r"(?:has|have|had) (?:(?:only|exactly|at least|at most|fewer than|more than) )?"
    r"[0-9,]+ (?:bytes|bits)(?! (?:left|of|more))": "is N bytes long, is N bits wide",
}


def _compiled(phrases: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(rf"\b(?:{phrase})(?!\w)".replace(" ", r"\s+"), re.IGNORECASE), advice)
        for phrase, advice in phrases.items()
    ]


_PATTERNS = _compiled(PHRASES)
_PATTERNS_OUTSIDE_TITLES = _compiled(PHRASES_OUTSIDE_TITLES)
_NOT_PROSE = re.compile(
    r"```.*?```|~~~.*?~~~|``[^`]*``|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)", re.DOTALL
)
_QUESTION_WORD = re.compile(r"(?:What|Whether|How|Where|Who|Whose|Which|Whatever) ")
#: Files that are not checked: generated files, texts from other projects, and this file, which
#: contains the phrases.
NOT_CHECKED = ("vectors/", "CODE_OF_CONDUCT.md", "lab/prose.py")


@dataclass(frozen=True)
class AvoidedPhrase:
    """A phrase in a file, its line, and the words to use instead."""

    path: str
    line: int
    phrase: str
    advice: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.phrase!r}: {self.advice}"


def check(path: str, text: str) -> Iterator[AvoidedPhrase]:
    """Find phrases to avoid in a page, in Python docstrings, or in a list of known failures."""
    if path.endswith(".json"):
        yield from _in_prose(path, 1, "\n".join(json.loads(text)["causes"].values()))
    elif path.endswith(".py"):
        for line, docstring in _docstrings(ast.parse(text)):
            if _QUESTION_WORD.match(docstring):
                yield AvoidedPhrase(path, line, docstring.split()[0], "begin with a verb or a noun")
            yield from _in_prose(path, line, docstring)
    else:
        yield from _in_prose(path, 1, text)


def _in_prose(path: str, first_line: int, text: str) -> Iterator[AvoidedPhrase]:
    prose = _NOT_PROSE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    is_title = path.startswith("conformance/recipes/")
    for pattern, advice in _PATTERNS + ([] if is_title else _PATTERNS_OUTSIDE_TITLES):
        for match in pattern.finditer(prose):
            line = first_line + prose.count("\n", 0, match.start())
            yield AvoidedPhrase(path, line, match[0], advice)


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text.strip()


def main() -> int:
    """Check all tracked files. Return 1 if there are findings, else 0."""
    command = ["git", "ls-files", "-z", "*.md", "*.py", "*/known-failures.json"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    paths = [path for path in listed.split("\0") if path and not path.startswith(NOT_CHECKED)]
    findings = [
        finding
        for path in paths
        if Path(ROOT, path).is_file()
        for finding in check(path, Path(ROOT, path).read_text(encoding="utf-8"))
    ]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
