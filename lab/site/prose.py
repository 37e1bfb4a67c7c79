"""The pages that people write, from Markdown: anchors, links to other pages, ids that are links."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from lab.site import page_paths

ID = re.compile(r"\b[A-Z]{3}-\d{3}\b")
_REQUIREMENT = re.compile(r"\*\*([A-Z]{3}-\d{3}) \(")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#", re.I)

#: The text after the paragraph of a requirement, by its id.
Evidence = Callable[[str], str]


@dataclass(frozen=True)
class Links:
    """Paths on the site: ``pages`` by path in the repository, ``requirements`` by id."""

    pages: Mapping[str, str]
    requirements: Mapping[str, str]


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


def render(
    text: str, source: str, here: str, links: Links, evidence: Evidence = lambda id: ""
) -> Rendered:
    """Convert a Markdown text to a page.

    ``source`` is the path of the text in the repository. ``here`` is the path of the page in the
    site. Each requirement, and each table row of a reason, gets its id as an anchor. Each
    requirement is followed by its ``evidence``.
    """
    page = _Page(source, here, links, evidence)
    tokens = _MARKDOWN.parse(text)
    title = next((n for n, token in enumerate(tokens) if token.tag == "h1"), None)
    if title is not None:  # the template shows it
        page.title = _text_of(tokens[title + 1])
        page.anchors.add(page_paths.slug(page.title))
        del tokens[title : title + 3]
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {"page": page})
    return Rendered(page.title, Markup(html + page.due_evidence()), page.headings)


@dataclass
class _Page:
    """The state of rendering a page. ``open_links`` has the closing tag of each open link."""

    source: str
    here: str
    links: Links
    evidence: Evidence
    title: str = ""
    headings: list[Heading] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    open_links: list[str] = field(default_factory=list)
    requirement: str = ""

    def due_evidence(self) -> str:
        """Return the evidence of the last requirement, once."""
        id, self.requirement = self.requirement, ""
        return str(self.evidence(id)) if id else ""

    def anchor(self, name: str) -> bool:
        """Return whether a name is not an anchor of the page yet, and make it one."""
        is_new = name not in self.anchors
        self.anchors.add(name)
        return is_new


class _Renderer(RendererHTML):
    """Each method renders the tokens of that type."""

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        page, text = env["page"], _text_of(tokens[at + 1])
        anchor = slug = page_paths.slug(text)
        number = 0
        while not page.anchor(anchor):
            number += 1
            anchor = f"{slug}-{number}"
        tokens[at].attrSet("id", anchor)
        level = int(tokens[at].tag[1])
        if level in (2, 3):
            page.headings.append(Heading(level, anchor, text))
        return str(page.due_evidence() + self.renderToken(tokens, at, options, env))

    def paragraph_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        page = env["page"]
        due = page.due_evidence() if tokens[at].level == 0 else ""
        match = _REQUIREMENT.match(tokens[at + 1].content)
        if match and page.anchor(match[1]):
            tokens[at].attrs = {"id": match[1], "class": "requirement"}
            page.requirement = match[1]
        return str(due + self.renderToken(tokens, at, options, env))

    def tr_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        cells = [token.content for token in tokens[at : at + 9] if token.type == "inline"]
        # The second cell of a reason code states its kinds.
        if len(cells) > 1 and set(cells[1].split(", ")) <= {"torn", "damage", "refused"}:
            match = re.fullmatch(r"`([a-z-]+)`", cells[0])
            if match and env["page"].anchor(f"reason-{match[1]}"):
                tokens[at].attrSet("id", f"reason-{match[1]}")
        return self.renderToken(tokens, at, options, env)

    def th_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        if not tokens[at + 1].content:
            tokens[at].tag = tokens[at + 2].tag = "td"  # an empty heading
        return self.renderToken(tokens, at, options, env)

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return f'<div class="scroll">{self.renderToken(tokens, at, options, env)}'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return f"{self.renderToken(tokens, at, options, env)}</div>"

    def html_block(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        text = tokens[at].content
        return "" if text.lstrip().startswith("<!--") else text

    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        page, href = env["page"], str(tokens[at].attrGet("href"))
        if not _ELSEWHERE.match(href):
            path, hash, anchor = href.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path))
            if path not in page.links.pages:
                page.open_links.append("</span>")
                return f'<span class="path" title="{escape(path)}, in the repository">'
            href = f"{page_paths.to_root(page.here)}{page.links.pages[path]}{hash}{anchor}"
        page.open_links.append("</a>")
        return f'<a href="{escape(href)}">'

    def link_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        return str(env["page"].open_links.pop())

    def text(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        page, text = env["page"], super().text(tokens, at, options, env)

        def link(match: re.Match[str]) -> str:
            place, hash, anchor = page.links.requirements.get(match[0], "").partition("#")
            if not place:
                return match[0]
            prefix = "" if place == page.here else page_paths.to_root(page.here) + place
            return f'<a class="id" href="{prefix}{hash}{anchor}">{match[0]}</a>'

        return text if page.open_links else ID.sub(link, text)


def _text_of(inline: Token) -> str:
    parts = inline.children or []
    return "".join(part.content for part in parts if part.type in ("text", "code_inline"))


_MARKDOWN = MarkdownIt("commonmark", renderer_cls=_Renderer).enable("table")
