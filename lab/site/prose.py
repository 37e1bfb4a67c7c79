"""The pages that people write, from Markdown: anchors, links to other pages, ids that are links."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from lab.site import page_paths

ID = re.compile(r"\b[A-Z]{3}-\d{3}\b")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)

#: The text after the paragraph of a requirement, by its id.
Evidence = Callable[[str], Markup]


@dataclass(frozen=True)
class Heading:
    """A heading of the second or third level."""

    level: int
    anchor: str
    text: str


@dataclass
class Rendered:
    """A page in HTML, without its own title."""

    title: str = ""
    html: Markup = Markup("")  # noqa: RUF009 - immutable
    headings: list[Heading] = field(default_factory=list)


@dataclass(frozen=True)
class Links:
    """The targets of links: pages by their source, and requirements by their id."""

    pages: Mapping[str, str]
    """By path from the root of the repository, the place on the site."""
    requirements: Mapping[str, str]
    """By id, the place with its anchor."""

    def target(self, source: str, href: str) -> tuple[str, str]:
        """Return the target of a link in a source: the path in the repository, and the anchor."""
        path, _, anchor = href.partition("#")
        return posixpath.normpath(posixpath.join(posixpath.dirname(source), path or ".")), anchor

    def from_here(self, here: str, place: str) -> str:
        """A link from the page ``here`` to a place of the site."""
        return page_paths.to_root(here) + place


_MARKDOWN = MarkdownIt("commonmark").enable("table")


def render(
    text: str, source: str, here: str, links: Links, evidence: Evidence | None = None
) -> Rendered:
    """Convert a Markdown text to a page.

    ``source`` is the path of the text in the repository, and ``here`` is the path of the page in
    the site. The paragraph of each requirement, and the table row of each reason, gets its id as an
    anchor and is followed by its ``evidence``.
    """
    created = Rendered()
    tokens = _MARKDOWN.parse(text)
    seen: dict[str, int] = {}
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            _heading(tokens[number + 1], token, created, seen)
        elif token.type == "inline":
            token.children = list(_inline(token.children or [], source, here, links))
        elif token.type == "th_open" and not tokens[number + 1].content:
            token.tag = tokens[number + 2].tag = "td"  # a head of no words is a cell
        elif token.type == "html_block" and token.content.lstrip().startswith("<!--"):
            token.content = ""
    if evidence is not None:
        tokens = list(_with_anchors(tokens, evidence))
    title = next((n for n, token in enumerate(tokens) if token.tag == "h1"), None)
    if title is not None:  # the page has its own
        tokens = tokens[:title] + tokens[title + 3 :]
    html = _MARKDOWN.renderer.render(_scrollable(tokens), _MARKDOWN.options, {})
    created.html = Markup(html)
    return created


def _heading(inline: Token, opening: Token, made: Rendered, seen: dict[str, int]) -> None:
    text = "".join(
        child.content for child in inline.children or [] if child.type in ("text", "code_inline")
    )
    anchor = page_paths.slug(text)
    seen[anchor] = seen.get(anchor, -1) + 1
    if seen[anchor]:
        anchor += f"-{seen[anchor]}"
    opening.attrSet("id", anchor)
    level = int(opening.tag[1])
    if level == 1 and not made.title:
        made.title = text
    elif level in (2, 3):
        made.headings.append(Heading(level, anchor, text))


def _inline(children: Sequence[Token], source: str, here: str, links: Links) -> Iterator[Token]:
    """The parts of a line, with links that lead to pages of the site, and ids that are links."""
    open_links: list[bool] = []
    for token in children:
        if token.type == "link_open":
            href = _href(str(token.attrGet("href")), source, here, links)
            open_links.append(href is not None)
            yield _tag("a", href) if href is not None else _span(token, source, links)
        elif token.type == "link_close":
            is_link = open_links.pop()
            yield token if is_link else _html("</span>")
        elif token.type == "text" and not open_links:
            yield from _with_ids(token, here, links)
        else:
            yield token


def _href(href: str, source: str, here: str, links: Links) -> str | None:
    """Return the target of a link on the site; None for a file of the repository without a page."""
    if _ELSEWHERE.match(href) or href.startswith("#"):
        return href
    path, anchor = links.target(source, href)
    place = links.pages.get(path)
    if place is None:
        return None
    return links.from_here(here, place) + (f"#{anchor}" if anchor else "")


def _span(token: Token, source: str, links: Links) -> Token:
    path, _ = links.target(source, str(token.attrGet("href")))
    return _html(f'<span class="path" title="{Markup.escape(path)}, in the repository">')


def _with_ids(token: Token, here: str, links: Links) -> Iterator[Token]:
    at = 0
    for result in ID.finditer(token.content):
        place = links.requirements.get(result[0])
        if place is None:
            continue
        page, _, anchor = place.partition("#")
        href = f"#{anchor}" if page == here else links.from_here(here, place)
        yield _text(token.content[at : result.start()])
        yield _html(f'<a class="id" href="{href}">{result[0]}</a>')
        at = result.end()
    yield _text(token.content[at:])


def _with_anchors(tokens: Sequence[Token], evidence: Evidence) -> Iterator[Token]:
    """Tokens in which requirements and reasons have anchors, and requirements their evidence."""
    seen: set[str] = set()
    waiting = ""
    for number, token in enumerate(tokens):
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        if token.level == 0 and token.type in ("paragraph_open", "heading_open") and waiting:
            yield _html(str(evidence(waiting)), "html_block")
            waiting = ""
        if token.type == "paragraph_open" and following is not None:
            result = re.match(r"\*\*([A-Z]{3}-\d{3}) \(", following.content)
            if result and result[1] not in seen:
                seen.add(result[1])
                token.attrSet("id", result[1])
                token.attrSet("class", "requirement")
                waiting = result[1]
        elif token.type == "tr_open":
            code = _reason_of(tokens[number : number + 9])
            if code is not None and code not in seen:
                seen.add(code)
                token.attrSet("id", f"reason-{code}")
        yield token
    if waiting:
        yield _html(str(evidence(waiting)), "html_block")


def _reason_of(row: Sequence[Token]) -> str | None:
    """The code in the first cell of a row whose second one says what kind of reason it is."""
    cells = [token.content for token in row if token.type == "inline"]
    if len(cells) < 2 or not set(cells[1].split(", ")) <= {"torn", "damage", "refused"}:
        return None
    result = re.fullmatch(r"`([a-z-]+)`", cells[0])
    return result[1] if result else None


def _scrollable(tokens: Sequence[Token]) -> list[Token]:
    """Tables in boxes of their own, so that a wide one does not widen the page."""
    created = []
    for token in tokens:
        if token.type == "table_open":
            created.append(_html('<div class="scroll">', "html_block"))
        created.append(token)
        if token.type == "table_close":
            created.append(_html("</div>", "html_block"))
    return created


def _html(content: str, kind: str = "html_inline") -> Token:
    return Token(kind, "", 0, content=content)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _tag(tag: str, href: str) -> Token:
    return Token("link_open", tag, 1, attrs={"href": href})
