"""The HTML page is self-contained, shows every failure, and escapes text from programs."""

from __future__ import annotations

import html as html_module
import re

import pytest

from conformance.reports.byte_view import views
from conformance.reports.html import html
from conformance.vectors import load_all
from tests.browser import WIDE, drawn, needs_browser
from tests.conformance.reports.conftest import FLIPPED


@pytest.fixture
def page(report):
    return html(report)


def _text(part):
    return html_module.unescape(re.sub(r"<[^>]*>", "", part))


def _failures(page, name):
    """Return the expanded failures of an implementation, by vector."""
    (section,) = [s for s in page.split("<section>")[1:] if re.match(rf"\s*<h2[^>]*>{name} ", s)]
    details = re.findall(r'<details class="failure" open>(.*?)</details>', section, re.S)
    return {re.search(r"<b>(.*?)</b>", each)[1]: each for each in details}


def test_every_failure_is_open_in_the_section_of_its_implementation(report, page):
    for implementation in report["implementations"]:
        expected = {
            result["vector"]
            for result in implementation["results"]
            if result["class"] not in ("pass", "skipped", "known-failure")
        }
        if expected and not implementation["baseline"]:
            assert _failures(page, implementation["name"]).keys() == expected
    assert len(_failures(page, "rusty-leveldb")) == 5


def test_a_failure_shows_expected_beside_found_and_its_damage(page):
    failure = _failures(page, "goleveldb")[f"leveldb-log/{FLIPPED}"]
    assert re.search(r"record at 12, 12 B</th><td>nothing<td>&#34;brbvo&#34;", failure)
    text = _text(failure)
    assert "flip bit 17" in text and "bad \\x1b[0m block" in text
    assert f"walproof check --impl goleveldb --vector leveldb-log/{FLIPPED}" in text


def test_a_failure_shows_its_bytes_by_field_with_the_damage_marked(page):
    """The fields are the same as on the vector's page in the site, which the same code renders."""
    failure = _failures(page, "goleveldb")[f"leveldb-log/{FLIPPED}"]
    rows = re.findall(
        r"<tr><td>(\d+)<td>\d+<td>(?:<i class=\"(.*?)\">)?([^<]*).*?<td>(.*?)<td>", failure
    )
    (file,), _ = views(*(load_all()[f"leveldb-log/{name}"] for name in (FLIPPED, "three-records")))
    assert [row[3] for row in rows] == [row.path for row in file.rows if row.path]
    assert [row[0] for row in rows if "x" in row[1]] == ["19"], "the payload of the second record"
    lost = [int(row[0]) for row in rows if "l" in row[1]]
    assert lost == [12, 16, 18, 19, 24, 28, 30, 31]


def test_failures_are_grouped_by_the_requirement_that_decides_them(builder):
    slugs = (FLIPPED, "checksum-stored-unmasked", "empty-record-of-type-127")
    b = builder().load("three-records", *slugs)
    b.implementation("mine", reports=("records", "verdict", "reason"))
    for slug in slugs:
        answer = {"records": [], "verdict": "intact", "reason": None, "signals": []}
        expected = b.golden[slug].body["expect"]
        b.result(slug, "fail", expected=expected, actual=answer, found={"reason": None},
                 difference=f"reason: expected {expected['reason']}, found null")  # fmt: skip
    page = html(b.others_pass().build())
    groups = re.findall(r"<h3 id=\"group-1-\d\">([A-Z]{3}-\d{3}) <small>(\d) vector", page)
    assert groups == [("LDB-028", "2"), ("LDB-029", "1")]
    assert "If the checksum of a physical record does not match" in _text(page)


def test_the_contents_lead_to_every_part(page):
    contents = re.search(r'<nav class="jump" aria-label="Contents">(.*?)</nav>', page, re.S)[1]
    targets = re.findall(r'href="#([^"]+)"', contents)
    ids = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ids
    assert [page.index(f'id="{each}"') for each in targets] == sorted(
        page.index(f'id="{each}"') for each in targets
    )
    assert targets[-1] == "baselines" and len(targets) == 7
    assert re.findall(r">(.*?)</a>", contents)[2] == "goleveldb: 2 not as expected"


def test_null_baselines_are_in_the_last_part_only(page):
    assert page.count("null: refused") == 1
    assert page.index('<h2 id="baselines"') < page.index("null: refused")
    assert page.index('<h2 id="baselines"') > page.index('<h2 id="groups"')


def test_known_failures_show_their_cause(page):
    known = page.partition('id="known"')[2].partition('id="groups"')[0]
    assert "2: It ignores the type." in _text(known)
    assert "checksum-stored-unmasked" in known and "type-flipped-to-unknown" in known


def test_each_format_has_the_results_by_group(builder):
    b = builder()
    for format_id in ("leveldb-log", "kahadb-journal"):
        b.vector("whole", "framing", format_id=format_id)
        b.vector("flip", "checksum", control="whole", format_id=format_id)
    b.implementation("both").result("flip", "fail", format_id="kahadb-journal").others_pass()
    b.implementation("one").result("whole", "fail").result("flip")
    page = html(b.build())
    rows = re.findall(r'<p title="the reader (\w+)">.*?<ul class="chips">(.*?)</ul>', page, re.S)
    cells = [(name, re.findall(r">(\w+ \d+/\d+ .)</li>", row)) for name, row in rows]
    assert cells == [
        ("both", ["framing 1/1 ✓", "checksum 1/1 ✓"]),
        ("one", ["framing 0/1 ✗", "checksum 1/1 ✓"]),
        ("both", ["framing 1/1 ✓", "checksum 0/1 ✗"]),
    ]


def test_later_failures_are_one_line_each(report, monkeypatch):
    monkeypatch.setattr("conformance.reports.html.MAX_DETAILED", 3)
    page = html(report)
    assert page.count('<details class="failure" open>') == 3
    assert page.count('<p class="failure">') == 4


def test_the_page_loads_nothing(page):
    assert not re.search(r"""(?:src|href)\s*=\s*"?[^"#]""", page)
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


@needs_browser
@pytest.mark.parametrize("width", [400, 1280])
def test_the_page_fits_the_screen(page, tmp_path, width):
    path = tmp_path / "report.html"
    path.write_text(page.replace("</body>", f"<script>{WIDE % width}</script></body>"))
    shown, message = drawn(path, tmp_path / "profile", width)
    assert message == []
    assert 'data-wide=""' in shown
