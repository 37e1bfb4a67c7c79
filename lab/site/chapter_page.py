"""The page of a chapter, with the vectors that exercise each requirement next to its text."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lab.site import page_paths
from lab.site.frame import Frame
from lab.site.indexed_report import OURS, REAL, IndexedReport
from reference_impl.paths import SPEC
from reference_impl.register import registers

#: The chapter with the terms that all formats share.
CONVENTIONS = "conventions"
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_RULE = re.compile(r"\*\*([A-Z]{3}-\d{3}) \(")


@dataclass(frozen=True)
class Evidence:
    """The vectors that exercise a requirement, and the implementations that ran them.

    An implementation passes if it passes every vector that it does not skip.
    """

    vectors: list[str] = field(default_factory=list)
    passing: list[str] = field(default_factory=list)
    #: Maps the name of an implementation to its numbers of failed and of checked vectors.
    failing: dict[str, tuple[int, int]] = field(default_factory=dict)


def write(
    frame: Frame,
    run: IndexedReport,
    format: str,
    outcomes: Mapping[str, Mapping[str, str]],
) -> None:
    """Write the page of a format's chapter, or of the conventions."""
    place = page_paths.chapter(format)
    tokens = _MARKDOWN.parse((SPEC / f"{format}.md").read_text("utf-8"))
    title, contents = _name_headings(tokens)
    evidence = evidence_of(run, format, outcomes)
    slugs = {id.partition("/")[2]: id for id in run.vectors if id.startswith(f"{format}/")}
    aside = frame.macro("parts.html.j2", "evidence")
    root = page_paths.to_root(place)
    rendered = []
    for token in _with_rules(tokens):
        if token.type == "evidence":
            text = str(aside(evidence.get(token.content, Evidence()), root))
            token = Token("html_block", "", 0, content=text)
        if token.children:
            token.children = list(_links(token.children, place, root, slugs))
        rendered.append(token)
    frame.page(
        place,
        "chapter.html.j2",
        f"{title}: the chapter" if format != CONVENTIONS else title,
        format=format if format in run.formats else None,
        contents=contents,
        text=_MARKDOWN.renderer.render(rendered, _MARKDOWN.options, {}),
    )


def evidence_of(
    run: IndexedReport, format: str, outcomes: Mapping[str, Mapping[str, str]]
) -> dict[str, Evidence]:
    """Return the evidence for each requirement that a vector of the format exercises in the run."""
    every: dict[str, Evidence] = {}
    for vector in run.of_format(format):
        for id in vector.body["requirements"]:
            every.setdefault(id, Evidence()).vectors.append(vector.id)
    names = [str(each["name"]) for kind in (REAL, OURS) for each in run.of_kind(kind, format)]
    for each in every.values():
        for name in names:
            ran = [outcomes[id][name] for id in each.vectors if name in outcomes[id]]
            if failed := sum(outcome != "pass" for outcome in ran):
                each.failing[name] = failed, len(ran)
            elif ran:
                each.passing.append(name)
    return every


def _name_headings(tokens: Sequence[Token]) -> tuple[str, list[tuple[str, str]]]:
    """Give each heading an id, as a code host does; return the title and the h2 headings."""
    title, contents, seen = "", [], Counter[str]()
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(child.content for child in inline.children or ())
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            seen[name] += 1
            name += f"-{seen[name] - 1}" if seen[name] > 1 else ""
            opening.attrSet("id", name)
            if opening.tag == "h1":
                title = text
            elif opening.tag == "h2":
                contents.append((name, text))
    return title, contents


def _with_rules(tokens: Sequence[Token]) -> Iterator[Token]:
    """Wrap each requirement in a section that ends with a token of type ``evidence``."""
    rule = ""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "table_open":
            yield Token("html_block", "", 0, content='<div class="scroll">\n')
        if found := following and token.type == "paragraph_open" and _RULE.match(following.content):
            rule = found[1]
            yield Token("html_block", "", 0, content=f'<section class="rule" id="{rule}">\n')
        yield token
        if token.type == "table_close":
            yield Token("html_block", "", 0, content="</div>\n")
        if rule and token.type == "paragraph_close":
            yield Token("evidence", "", 0, content=rule)
            yield Token("html_block", "", 0, content="</section>\n")
            rule = ""


def _links(
    tokens: Iterable[Token], place: str, root: str, vectors: Mapping[str, str]
) -> Iterator[Token]:
    """Yield inline tokens; point links to pages of the site, and drop links to other files."""
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            target = _target(str(token.attrGet("href")), place)
            is_dropped = target is None
            if target is not None:
                token.attrSet("href", target)
        if token.type in ("link_open", "link_close") and is_dropped:
            continue
        if token.type == "code_inline" and token.content in vectors:
            address = root + page_paths.vector(vectors[token.content])
            yield Token("html_inline", "", 0, content=f'<a href="{address}">')
            yield token
            yield Token("html_inline", "", 0, content="</a>")
        else:
            yield token


def _target(target: str, place: str) -> str | None:
    """Map the target of a link in a chapter to a page of the site, or to None if it has no page."""
    if target.startswith(("#", "https://", "http://")):
        return target
    path, _, anchor = target.partition("#")
    name = path.removesuffix(".md")
    if name not in (*registers(), CONVENTIONS):
        return None
    page = posixpath.relpath(page_paths.chapter(name), posixpath.dirname(place))
    return f"{page}#{anchor}" if anchor else page
