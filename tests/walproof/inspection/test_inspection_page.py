"""The page has every field and mark of the map; it is self-contained and safe."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from conformance.kaitai.field_map import field_map
from walproof.inspection.inspection import Inspection
from walproof.inspection.page import SHOWN_BYTES, Page

OpenLog = Callable[[bytes], Inspection]


class Document(HTMLParser):
    """Collect the tags with their attributes, and the texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def ids(self) -> list[str]:
        return [id for _, attributes in self.tags if (id := attributes.get("id"))]


def written(view: Inspection, limit: int | None = None) -> tuple[Page, str]:
    out = view.path.with_name("map.html")
    page = Page(view, 0, view.outline.size, limit)
    page.write(out)
    return page, out.read_text(encoding="utf-8")


def test_page_has_every_field_and_mark(open_log: OpenLog, damaged: bytes) -> None:
    page, text = written(open_log(damaged))
    document = Document(text)
    paths = [field.path for field in field_map(damaged, "leveldb-log")]
    assert [id for id in document.ids if id.startswith("blocks")] == paths
    assert (page.fields, page.end) == (len(paths), len(damaged))
    for shown in (
        "9c 33 c8 bd", "0xbdc8339c", "12 bytes: record 0", "12 bytes: lost",
        "x ┌─ lost [12, 32768) checksum-mismatch, 32756 bytes  LDB-028",
        "= end 40052: safe to truncate here and append",
        "damaged (checksum-mismatch). Safe to append at offset 40052.",
    ):  # fmt: skip
        assert shown in text, shown
    long = [each for each in document.texts if each.startswith("64 64")]
    assert [-(-len(each) // 3) for each in long] == [SHOWN_BYTES] * 2
    assert all(each.endswith(" … 64 64") for each in long)


@pytest.mark.parametrize("limit", [None, 8, 4])
def test_links_have_targets(open_log: OpenLog, damaged: bytes, limit: int | None) -> None:
    document = Document(written(open_log(damaged), limit)[1])
    links = {href for tag, attributes in document.tags if (href := attributes.get("href"))}
    assert ("#LDB-006" in links, "#lost-12" in links) == (True, limit != 4)
    assert {link[1:] for link in links} <= {*document.ids}


def test_code_of_requirements_is_marked(open_log: OpenLog, damaged: bytes) -> None:
    text = written(open_log(damaged))[1]
    assert "goes to <code>lost</code> (<code>checksum-mismatch</code>)" in text
    assert "`" not in "".join(Document(text).texts)


def test_page_is_self_contained(open_log: OpenLog, damaged: bytes) -> None:
    _, text = written(open_log(damaged))
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"\"default-src 'none'; style-src 'sha256-{digest}'\"" in text
    for tag, attributes in Document(text).tags:
        assert tag not in ("script", "link", "img")
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        assert (attributes.get("href") or "#").startswith("#")


def test_hostile_texts_are_escaped(open_log: OpenLog) -> None:
    log = b"\x1f\x8b</td><script>alert(1)</script>\x1b[31m"
    view = replace(open_log(log), path=Path("</title><script>'\"&.log"))
    page = Page(view, 0, len(log), None)
    out = open_log(log).path.with_name("map.html")
    page.write(out)
    assert "script" not in {tag for tag, _ in Document(out.read_text()).tags}


def test_limit_cuts_the_page_between_units(open_log: OpenLog, damaged: bytes) -> None:
    page, text = written(open_log(damaged), limit=4)
    assert (page.end, page.fields) == (12, 7)
    assert "… 40040 bytes not shown: continue with --from 12" in text
    assert "x not shown: 2 lost ranges" in text


@pytest.mark.parametrize("log", [b"", b"\x00", b"\x01" * 40_000])
def test_page_of_arbitrary_bytes(open_log: OpenLog, log: bytes) -> None:
    page, _ = written(open_log(log))
    assert page.fields == len(field_map(log, "leveldb-log"))
