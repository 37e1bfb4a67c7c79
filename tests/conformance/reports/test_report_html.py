"""The HTML page is self-contained, shows every failure, and escapes the text of programs."""

from __future__ import annotations

import html as html_module
import re

import pytest

from conformance.reports.html import html
from tests.conformance.reports.conftest import FLIPPED


@pytest.fixture
def page(report):
    return html(report)


def _sections(page):
    """Return the text of the folded sections: the failures and the known failures."""
    found = re.findall(r"<details>(.*?)</details>", page, re.S)
    return [html_module.unescape(re.sub(r"<[^>]*>", "", each)) for each in found]


def test_every_failure_is_in_exactly_one_section(report, page):
    sections = [re.sub(r"\bcontrol: .*", "", each) for each in _sections(page)]
    expected = [
        (implementation["name"], result["vector"])
        for implementation in report["implementations"]
        for result in implementation["results"]
        if result["class"] not in ("pass", "skipped") and not implementation["baseline"]
    ]
    assert len(expected) > 5
    for name, vector in expected:
        of_both = [each for each in sections if re.search(rf" {name}[:,]", each) and vector in each]
        assert len(of_both) == 1, (name, vector)


def test_a_failure_shows_all_details(page):
    (section,) = [each for each in _sections(page) if "goleveldb" in each and "brbvo" in each]
    for text in (
        "flip bit 17", 'record at 12, 12 B: expected nothing, found "brbvo"',
        f"walproof check --impl goleveldb --vector leveldb-log/{FLIPPED}",
    ):  # fmt: skip
        assert text in section
    assert any("It ignores the type." in each for each in _sections(page))


def test_each_format_has_a_matrix_of_the_implementations_with_results(builder):
    b = builder()
    for format_id in ("leveldb-log", "kahadb-journal"):
        b.vector("whole", "framing", format_id=format_id)
        b.vector("flip", "checksum", control="whole", format_id=format_id)
    b.implementation("both").result("flip", "fail", format_id="kahadb-journal").others_pass()
    b.implementation("one").result("whole", "fail").result("flip")
    report = b.build()
    page = html(report)
    rows = re.findall(r'<th title="the reader (\w+)">(.*?)</tr>', page, re.S)
    cells = [(name, re.findall(r"(\d+/\d+ .)</td>", row)) for name, row in rows]
    assert cells == [
        ("both", ["1/1 ✓", "1/1 ✓"]), ("one", ["0/1 ✗", "1/1 ✓"]), ("both", ["1/1 ✓", "0/1 ✗"]),
    ]  # fmt: skip


def test_the_page_loads_nothing(page):
    assert not re.search(r"""(?:src|href)\s*=""", page)
    assert not re.search(r"@import|url\(", page, re.I)
    assert "default-src 'none'" in page


def test_text_from_a_run_is_escaped(report):
    goleveldb = report["implementations"][1]
    for result in goleveldb["results"]:
        result["stderr"] = "</pre><script>alert(1)</script><!-- \ud800"
        result["difference"] = "<img src=x onerror=alert(2)>\ud800"
        result["cause"] = result["cause"] and "<img src=x onerror=alert(3)>"
    goleveldb["title"] = goleveldb["version"] = '"><img src=x onerror=alert(4)>'
    report["implementations"][3]["because"] = "<img src=x onerror=alert(5)>"
    page = html(report)
    page.encode("utf-8")
    assert all(f"alert({number})" in page for number in (1, 2, 3, 4, 5))
    assert "<img" not in page
    assert page.count("<script") == 1
