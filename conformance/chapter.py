"""Find the sentences of a chapter in ``spec/`` by requirement id and by reason code."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance import SPEC

_MARK = r"\*\*([A-Z]{3}-\d{3}) \(([A-Z ]+)\)\*\*"
#: A requirement ends at the next requirement, a heading, a label such as *Why.*, or a comment. A
#: requirement also ends at code, unless a colon introduces the code.
_REQUIREMENT = re.compile(
    rf"^{_MARK} (.+?)\s*(?=\n\s*\n(?:{_MARK}|#|\*[A-Z][^*\n]*\*|<!--)|(?<!:)\n\s*\n```|\Z)",
    re.M | re.S,
)
_PARAGRAPH_END = re.compile(r"\n\n(?!\* |1\. )")
_LIST_ITEM = re.compile(r"\n+(?:\*|\d\.) ")
_REASON = re.compile(r"^\| `([a-z-]+)` \|[^|]*\|([^|]*\b[A-Z]{3}-\d{3}\b[^|]*)\|", re.M)
_SENTENCE = re.compile(r"(?<=[.:]) ")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@dataclass(frozen=True)
class Requirement:
    """One normative paragraph."""

    id: str
    level: str
    #: The text without Markdown, except for code in backquotes.
    text: str
    #: The Markdown source, with the lists and tables that belong to the paragraph.
    markdown: str = ""
    #: Location, such as ``spec/leveldb-log.md:12``.
    where: str = ""

    @property
    def first_sentence(self) -> str:
        """Return the text up to its first full stop or colon."""
        return _SENTENCE.split(self.text, maxsplit=1)[0]


@dataclass(frozen=True)
class Chapter:
    """The requirements of a chapter by id, and the requirement ids of each reason code."""

    requirements: Mapping[str, Requirement]
    reasons: Mapping[str, tuple[str, ...]]


@functools.cache
def chapter(format: str, spec: Path = SPEC) -> Chapter:
    """Return the chapter of a format, such as ``leveldb-log``. It is empty without ``spec/``."""
    file = spec / f"{format}.md"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    requirements = {}
    for match in _REQUIREMENT.finditer(text):
        id, level, markdown = match.group(1, 2, 3)
        paragraph = _plain(_PARAGRAPH_END.split(markdown, maxsplit=1)[0])
        where = f"spec/{file.name}:{text.count(chr(10), 0, match.start()) + 1}"
        requirements[id] = Requirement(id, level, paragraph, markdown, where)
    reasons = {
        code: tuple(re.findall(r"[A-Z]{3}-\d{3}", ids)) for code, ids in _REASON.findall(text)
    }
    return Chapter(requirements, reasons)


def _plain(body: str) -> str:
    text = _LIST_ITEM.sub(" • ", _LINK.sub(r"\1", body))
    return " ".join(text.replace("**", "").split())
