"""Find faults in a built site: dead links, and anchors that occur twice.

python -m lab.site.broken build/site
"""

from __future__ import annotations

import posixpath
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ELSEWHERE = ("https://", "http://")


class Page(HTMLParser):
    """The names, links and tags of a page, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``html.parser``."""
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag in ("script", "img", "link"):
            loaded = attributes.get("src") or attributes.get("href")
            self.loads += [loaded] if loaded else []
        elif target := attributes.get("href") or attributes.get("action"):
            self.links.append(target)


def broken(site: Path) -> list[str]:
    """Yield the faults, a line for each: the page, the text, and the fault."""
    pages = {
        path.relative_to(site).as_posix(): Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    names = {place: set(page.ids) for place, page in pages.items()}
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    results = []
    for place, page in pages.items():
        results += [
            f"{place}: {name}: two places have this name"
            for name, count in Counter(page.ids).items()
            if count > 1
        ]
        for target in (*page.links, *page.loads):
            if wrong := _wrong(place, target, files, names):
                results.append(f"{place}: {target}: {wrong}")
        results += [
            f"{place}: {each}: from elsewhere" for each in page.loads if each.startswith(ELSEWHERE)
        ]
    return results


def _wrong(place: str, target: str, files: set[str], names: dict[str, set[str]]) -> str | None:
    if target.startswith(ELSEWHERE):
        return None
    name, _, anchor = target.partition("#")
    name = name.partition("?")[0]
    led = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(name)))
    if not name:
        led = place
    if target.startswith("/") or led not in files:
        return "no such page"
    if anchor and unquote(anchor) not in names.get(led, set()):
        return "no such place"
    return None


if __name__ == "__main__":
    lines = broken(Path(sys.argv[1]))
    print("\n".join(lines) or "Every link leads somewhere.")
    raise SystemExit(1 if lines else 0)
