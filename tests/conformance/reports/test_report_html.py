"""The page: self-contained, complete, small, and drawn without an error."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter

import pytest

from conformance.reports import html
from conformance.reports.classes import CLASSES
from conformance.reports.matrix import matrices


def _data(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(text)


def _resolve(data, row):
    implementation, vector, profile, outcome, _, detail = row
    return (
        data["implementations"][implementation]["name"],
        data["vectors"][vector]["id"],
        data["profiles"][profile],
        data["classes"][outcome]["name"],
        data["details"][detail] if detail >= 0 else None,
    )


def test_every_result_is_in_the_page_exactly_once(report):
    data = _data(html.render(report))
    actual = Counter(_resolve(data, row)[:4] for row in data["results"])
    expected = Counter(
        (implementation["name"], result["vector"], result["profile"], result["class"])
        for implementation in report["implementations"]
        for result in implementation["results"]
    )
    assert actual == expected
    assert set(actual.values()) == {1}


def test_every_failed_result_has_its_own_details(report):
    data = _data(html.render(report))
    rows = [_resolve(data, row) for row in data["results"]]
    details = [row[4] for row in rows if row[3] != "pass"]
    assert all(row[4] is None for row in rows if row[3] == "pass")
    assert len(details) == len(data["details"]) > 0
    repeats = {
        (implementation["name"], result["vector"], result["profile"]): result["repeat"]
        for implementation in report["implementations"]
        for result in implementation["results"]
    }
    for name, vector, profile, _, detail in rows:
        if detail is not None:
            assert data["texts"][detail[4]] == repeats[name, vector, profile]


def test_details_hold_the_aligned_answers(report):
    data = _data(html.render(report))
    detail = next(
        row[4]
        for row in (_resolve(data, each) for each in data["results"])
        if row[:2] == ("goleveldb", "leveldb-log/checksum-bit-flip") and row[3] == "fail"
    )
    lines = [
        (data["texts"][line[0]], data["kinds"][line[1]], data["sides"][line[2]][0],
         data["sides"][line[3]][0])
        for line in detail[5]
    ]  # fmt: skip
    assert ("records", "same", '"alpha"', '"alpha"') in lines
    assert ("", "extra", "not expected", '"brbvo"') in lines
    assert ("lost", "same", "[12, 32768) checksum-mismatch", "not reported") in lines
    ((file, size, expected, actual),) = detail[6]
    assert (file, size) == ("", 32780)
    assert expected[:3] == [12, 32768, 1]
    assert actual is not None


def test_the_matrix_counts_every_result(report):
    data = _data(html.render(report))
    (matrix,) = data["matrices"]
    total = sum(
        sum(counts)
        for line in matrix["lines"] + matrix["baselines"]
        for counts in line["cells"].values()
    )
    assert total == len(data["results"])
    assert [line["pairs"][0] for line in matrix["baselines"]] == [0, 0]


def test_each_format_has_a_matrix_of_the_implementations_with_results(builder):
    b = builder()
    for format_id in ("leveldb-log", "kahadb-journal"):
        b.vector("whole", "framing", format_id=format_id)
        b.vector("flip", "checksum", control="whole", format_id=format_id)
    b.implementation("both").result("flip", "fail", format_id="kahadb-journal").others_pass()
    b.implementation("one").result("whole", "fail").result("flip")
    first, second = matrices(b.build())
    pairs = [
        [(line.implementation["name"], line.pairs_passed, line.pairs_total) for line in each.lines]
        for each in (first, second)
    ]
    assert pairs == [[("both", 1, 1), ("one", 0, 1)], [("both", 0, 1)]]
    assert first.lines[1].cells == {"framing": {"fail": 1}, "checksum": {"pass": 1}}


def test_the_page_loads_nothing(report):
    page = html.render(report)
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//""", markup, re.I)
    assert not re.search(r"@import|url\(", page, re.I)
    assert "<script src" not in page
    assert page.count("<link ") == page.count('<link rel="icon" href="data:')
    assert "default-src 'none'" in page
    assert not re.search(r"\b(fetch|XMLHttpRequest|import)\s*\(", page)


def test_text_from_a_run_is_escaped(report):
    result = report["implementations"][2]["results"][0]
    result["stderr"] = "</script><script>alert(1)</script><!-- \ud800"
    report["implementations"][2]["title"] = "<img src=x onerror=alert(1)>"
    page = html.render(report)
    assert "alert(1)</script>" not in page
    assert "<img" not in page
    page.encode("utf-8")
    data = _data(page)
    assert data["implementations"][2]["title"] == "<img src=x onerror=alert(1)>"
    assert any("</script><script>alert(1)" in text for text in data["texts"])


def test_no_script_of_the_page_reads_text_as_markup():
    page = html.render({
        "report_version": 1, "walproof": "0.1.0", "started": "2026-11-20T14:03:11Z",
        "seconds": 0, "vectors": {}, "implementations": [],
    })  # fmt: skip
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", page)


def test_classes_differ_without_colour():
    assert len({each.glyph for each in CLASSES}) == len(CLASSES)
    assert len({each.label for each in CLASSES}) == len(CLASSES)
    assert all(len(each.glyph) == 1 for each in CLASSES)


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--dump-dom",
]  # fmt: skip


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the PATH")
def test_a_browser_draws_it(report, tmp_path):
    path = tmp_path / "report.html"
    html.write(report, path)

    def drawn(address):
        done = subprocess.run(
            [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", address],
            capture_output=True, timeout=60, check=True, text=True,
        )  # fmt: skip
        return re.sub(r"<script.*?</script>", "", done.stdout, flags=re.S)

    page = drawn(path.as_uri())
    listed = [
        result
        for implementation in report["implementations"]
        for result in implementation["results"]
        if result["class"] not in ("pass", "skipped") and not implementation["baseline"]
    ]
    assert page.count('<details class="result"') == len(listed)
    assert page.count('class="cell c-') == sum(
        len({report["vectors"][r["vector"]]["group"] for r in each["results"]})
        for each in report["implementations"]
    )
    filtered = drawn(path.as_uri() + "#implementation=goleveldb&text=checksum-bit-flip")
    assert filtered.count('<details class="result"') == 1
    assert "brbvo" in filtered
    assert "walproof check --impl goleveldb --vector leveldb-log/checksum-bit-flip" in filtered
