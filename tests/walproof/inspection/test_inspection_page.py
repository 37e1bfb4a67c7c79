"""The page is complete, self-contained, safe and small."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from conformance.kaitai.field_map import field_map
from reference_impl.leveldb_log.writer import (
    Writer,
)
from walproof.inspection.inspection import Inspection
from walproof.inspection.page import embedded_json, render
from walproof.inspection.page_data import BYTES_OF_LONG_DATA, page_data

OpenLog = Callable[[bytes], Inspection]

HOSTILE = b"</script><script>alert(1)</script><!--<script>\xe2\x80\xa8&lt;'\"]]>"


def log_of(*payloads: bytes) -> bytes:
    out = io.BytesIO()
    writer = Writer(out)
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


class Page(HTMLParser):
    """Collect tags with attributes, and the text of scripts and styles in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag in ("script", "style")
        if self.inside:
            self.raw.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.raw[-1] = (self.raw[-1][0], self.raw[-1][1] + data)

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(next(text for tag, text in self.raw if tag == "script"))
        return data


def page_of(view: Inspection, limit: int | None = None, **window: int) -> tuple[str, Page]:
    start, end = window.get("start", 0), window.get("end", view.outline.size)
    text = render(page_data(view, start, end, limit))
    return text, Page(text)


def paths(data: dict[str, Any]) -> list[str]:
    fields = data["fields"]
    result: list[str] = []
    for name, parent in zip(fields["name"], fields["parent"], strict=True):
        result.append(name if parent < 0 else f"{result[parent]}.{name}")
    return result


def bytes_of(data: dict[str, Any]) -> dict[int, bytes]:
    return {start: base64.b64decode(text) for start, text in data["bytes"]}


def test_page_has_every_field_with_its_bytes(open_log: OpenLog, damaged: bytes) -> None:
    data = page_of(open_log(damaged))[1].data()
    fields = field_map(damaged, "leveldb-log")
    assert paths(data) == [field.path for field in fields]
    assert data["fields"]["start"] == [field.start for field in fields]
    assert data["fields"]["size"] == [field.end - field.start for field in fields]
    specs = [data["specs"][number] for number in data["fields"]["spec"]]
    assert specs == [[f.kind, f.doc, list(f.requirements)] for f in fields]
    assert bytes_of(data) == {0: damaged}


def test_page_has_the_answer(open_log: OpenLog, damaged: bytes) -> None:
    data = page_of(open_log(damaged))[1].data()
    assert (data["verdict"], data["reason"], data["end"]) == ("damaged", "checksum-mismatch", 40052)
    assert data["records"] == [[0, 12], [40038, 40052]]
    assert data["lost"] == [
        [12, 32768, "checksum-mismatch", 0],
        [32768, 40038, "orphan-fragment", 0],
    ]
    assert data["map"] == [
        ["r", 0, 12], ["r", 40038, 40052], ["l", 12, 32768], ["l", 32768, 40038],
    ]  # fmt: skip
    values = dict(zip(paths(data), data["fields"]["value"], strict=True))
    assert values["blocks[0].records[0]"] == "record 0"
    assert values["blocks[0].records[1]"] == "lost"
    assert values["blocks[0].records[0].header.checksum"] == "0x3ed1f63a"
    assert values["blocks[0].records[0].data"] == 0, "the page reads it from the bytes"
    notes = dict(zip(paths(data), data["fields"]["note"], strict=True))
    assert data["notes"][notes["blocks[0].records[0].header.checksum"]] == ["holds", 1]
    assert data["notes"][notes["blocks[0].records[1].header.checksum"]][1] == 0
    assert data["rules"]["LDB-028"][1].startswith("If the checksum of a physical record does")
    assert data["reasons"]["checksum-mismatch"] == ["LDB-028"]


def test_map_has_torn_and_zero_filled_tails(open_log: OpenLog, example: bytes) -> None:
    torn = page_of(open_log(example[:32868]))[1].data()
    assert ["t", 24, 32868] in torn["map"]
    assert torn["lost"] == [[24, 32868, "torn-payload", 1]]
    zeros = page_of(open_log(example + bytes(100)))[1].data()
    assert ["z", 40052, 40152] in zeros["map"]


def test_hostile_texts_are_escaped(open_log: OpenLog) -> None:
    data = page_data(open_log(b""), 0, 0, None)
    data["file"] = data["reason"] = HOSTILE.decode()
    page = Page(render(data))
    assert [tag for tag, _ in page.tags if tag == "script"] == ["script", "script"]
    assert page.data()["file"] == HOSTILE.decode()
    assert embedded_json("</script>\u2028&") == '"\\u003c/script\\u003e\\u2028\\u0026"'


def test_page_is_self_contained(open_log: OpenLog, damaged: bytes) -> None:
    text, page = page_of(open_log(damaged))
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv"))
    assert policy is not None and policy.startswith("default-src 'none'; ")
    (style,) = [content for tag, content in page.raw if tag == "style"]
    script = [content for tag, content in page.raw if tag == "script"][1]
    for directive, content in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        for name in ("src", "href"):
            assert (attributes.get(name) or "data:").startswith("data:")
    assert not re.findall(r"url\(|@import|fetch\(|XMLHttp|innerHTML|document\.write", text)


def test_window_of_a_page(open_log: OpenLog, damaged: bytes) -> None:
    data = page_of(open_log(damaged), start=40038, end=40052)[1].data()
    assert data["window"] == [40038, 40052]
    assert bytes_of(data) == {40038: damaged[40038:]}
    assert paths(data)[:2] == ["blocks[1]", "blocks[1].records[1]"]
    assert (data["firstRecord"], data["records"]) == (1, [[40038, 40052]])
    assert len(data["lost"]) == 2 and len(data["map"]) == 4


def test_limit_cuts_the_page_between_units(open_log: OpenLog, example: bytes) -> None:
    data = page_of(open_log(example), limit=4)[1].data()
    assert data["window"] == [0, 12]
    assert paths(data)[-1] == "blocks[0].records[0].data"
    assert bytes_of(data) == {0: example[:12]}


def test_page_of_a_large_log_omits_the_inside_of_long_data(open_log: OpenLog) -> None:
    log = log_of(*(bytes([65 + i % 26]) * 60_000 for i in range(40)))
    text, page = page_of(open_log(log))
    data = page.data()
    chunks = bytes_of(data)
    assert all(log[at : at + len(content)] == content for at, content in chunks.items())
    assert BYTES_OF_LONG_DATA * 0.9 < sum(map(len, chunks.values())) < BYTES_OF_LONG_DATA * 1.1
    assert len(text) < 2_000_000
    fields = data["fields"]
    for start, size in zip(fields["start"], fields["size"], strict=True):
        ends = [start, start + min(size, 256) - 1, start + size - min(size, 256), start + size - 1]
        for offset in ends if size else []:
            assert any(at <= offset < at + len(content) for at, content in chunks.items())


def test_map_of_many_records_is_merged(open_log: OpenLog) -> None:
    log = bytearray(log_of(*(b"x" * 20 for _ in range(20_000))))
    log[300_003] ^= 1
    data = page_of(open_log(bytes(log)), limit=10)[1].data()
    assert len(data["map"]) < 30
    damage = [run for run in data["map"] if run[0] == "l"]
    assert damage and damage[0][1] <= 300_003 < damage[0][2]


@pytest.mark.parametrize("log", [b"", b"\x00", b"\x01" * 40_000])
def test_page_of_arbitrary_bytes(open_log: OpenLog, log: bytes) -> None:
    data = page_of(open_log(log))[1].data()
    assert paths(data) == [field.path for field in field_map(log, "leveldb-log")]
