"""The terminal reports: complete, within the width, and readable without colour."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from conformance.reports import terminal
from conformance.reports.classes import BY_NAME


def _find(report, name, slug):
    implementation = next(e for e in report["implementations"] if e["name"] == name)
    result = next(r for r in implementation["results"] if r["vector"] == f"leveldb-log/{slug}")
    return implementation, result


class _AsciiFile(io.StringIO):
    encoding = "ascii"

    def write(self, text):
        text.encode("ascii")
        return super().write(text)


def _console(width=80, file=None):
    return Console(file=file or io.StringIO(), width=width)


def _matrix(report, width=80, **more):
    console = _console(width, more.pop("file", None))
    terminal.print_matrix(report, console, **more)
    return console.file.getvalue()


def _failure(report, name, slug, width=80, file=None):
    console = _console(width, file)
    terminal.show_failure(report, *_find(report, name, slug), console)
    return console.file.getvalue()


def _row(text, name):
    return [line.split() for line in text.splitlines() if line.startswith(name + " ")]


def test_a_row_has_pairs_and_every_group_once(report):
    wide = _matrix(report, 160)
    row = _row(wide, "pebble")[0]
    assert row[1] == "20/24"
    assert " ".join(row[2:]) == ("8/8 ✓ 6/6 ✓ 2/2 ✓ 4/6 ≈ 3/4 ≈ 4/4 ✓ 3/4 ∞ 6/6 ✓ 2/2 ✓ 2/2 ✓")
    bands = [row for row in _row(_matrix(report, 80), "pebble") if row[1] == "20/24"]
    assert len(bands) > 1
    assert [cell for band in bands for cell in band[2:]] == row[2:]


def test_baselines_follow_a_rule_and_score_nothing(report):
    lines = _matrix(report, 160).splitlines()
    rule = next(n for n, line in enumerate(lines) if "null baselines" in line)
    names = [line.split()[0] for line in lines[rule + 1 : rule + 3]]
    assert names == ["accepts-all", "refuses-all"]
    assert all(line.split()[1].startswith("0/") for line in lines[rule + 1 : rule + 3])
    assert not any(line.startswith("accepts-all") for line in lines[:rule])


def test_unavailable_implementations_are_listed_with_a_reason(report):
    text = _matrix(report, 160)
    assert "iq80       unavailable: neither mvn nor gradle is on the PATH" in text
    assert "my-reader  broken: no reply to hello" in text


def test_the_legend_explains_every_present_class(report):
    text = _matrix(report)
    for each in BY_NAME.values():
        assert f"  {each.glyph} {each.label}: {each.meaning}" in text
    assert "Not as expected: 9 results, 1 broken." in text


def test_an_expected_run_is_reported_as_such(builder):
    report = builder().vector("whole", "framing").implementation("reader").others_pass().build()
    text = _matrix(report)
    assert "All is as expected." in text
    assert "crash" not in text


def test_the_path_of_the_full_report_is_not_broken(report):
    path = "/some/" + "deep/" * 30 + "report.html"
    assert f"Full report: {path}\n" in _matrix(report, full_report=path)


def test_skipped_results_do_not_count_as_run(report):
    assert _row(_matrix(report, 160), "rusty-leveldb")[0][2:4] == ["7/7", "✓"]


def test_a_cell_of_skipped_results_is_marked(builder):
    report = builder().vector("whole", "writing").implementation("reader")
    text = _matrix(report.result("whole", "skipped", difference="it writes nothing").build())
    assert _row(text, "reader")[0] == ["reader", "0/0", "–"]


def test_a_damaged_vector_without_control_is_not_a_pair(builder):
    b = builder()
    for format_id in ("leveldb-log", "kahadb-journal"):
        b.vector("whole", "framing", format_id=format_id)
        b.vector("flip", "checksum", control="whole", format_id=format_id)
    report = b.implementation("reader").result("whole", "fail").others_pass().build()
    first, second = _matrix(report).split("kahadb-journal")[0:2]
    assert _row(first, "reader")[0][1] == "0/1"
    assert _row(second, "reader")[0][1] == "1/1"


def test_several_formats_have_a_matrix_each(builder):
    report = (
        builder()
        .vector("whole", "framing")
        .vector("flip", "checksum", control="whole")
        .vector("whole", "framing", format_id="kahadb-journal")
        .vector("flip", "checksum", control="whole", format_id="kahadb-journal")
        .implementation("both")
        .result("flip", "fail", format_id="kahadb-journal")
        .others_pass()
        .implementation("one")
        .result("whole")
        .result("flip")
        .build()
    )
    first, second = _matrix(report).split("kahadb-journal")[0:2]
    assert _row(first, "both")[0][1] == "1/1"
    assert _row(first, "one")[0][1] == "1/1"
    assert _row(second, "both")[0][1] == "0/1"
    assert not [row for row in _row(second, "one") if row[1] == "1/1"]


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_wider_than_the_console_or_padded(report, width):
    text = _matrix(report, width)
    for implementation in report["implementations"]:
        for result in implementation["results"]:
            if result["class"] != "pass":
                slug = result["vector"].split("/")[1]
                text += _failure(report, implementation["name"], slug, width)
    for line in text.splitlines():
        # Only a command may be longer, because it must be copied.
        assert len(line) <= width or line.startswith("    walproof check "), line
        assert line == line.rstrip()
    assert "\x1b" not in text


def test_an_ascii_console_gets_ascii(report):
    text = _matrix(report, file=_AsciiFile())
    assert "3/4 T" in text
    text = _failure(report, "pebble", "checksum-bit-flip", file=_AsciiFile())
    assert "~ known failure  leveldb-log/checksum-bit-flip" in text
    for implementation in report["implementations"]:
        for result in implementation["results"]:
            slug = result["vector"].split("/")[1]
            if result["class"] != "pass":
                _failure(report, implementation["name"], slug, file=_AsciiFile())


def test_a_failure_shows_all_details(report):
    lines = _failure(report, "goleveldb", "checksum-bit-flip", 120).splitlines()
    text = "\n".join(" ".join(line.split()) for line in lines)
    for expected_line in (
        "✗ fail leveldb-log/checksum-bit-flip",
        "implementation goleveldb 1.0.0, profile recover",
        "A flipped checksum bit loses the rest of the block, and the next block is read.",
        "requirement LDB-028 If the checksum of a physical record does not match, the rest",
        "damaged flip bit 3 of blocks[0].records[1].header.checksum",
        "control leveldb-log/two-blocks: pass",
        "difference 1 record that nobody wrote",
        'records "alpha" at 0, 12 B │ "alpha" at 0, 12 B',
        '+ not expected │ "brbvo" at 12, 12 B',
        '"delta" at 32768, 12 B │ "delta" at 32768, 12 B',
        "lost [12, 32768) checksum-mismatch │ not reported",
        "walproof check --impl goleveldb --vector leveldb-log/checksum-bit-flip",
    ):
        assert expected_line in text, expected_line


def test_lost_ranges_are_drawn_to_scale(report):
    bar = next(
        line.split()[1]
        for line in _failure(report, "leveldb", "type-5").splitlines()
        if line.startswith("  expected ") and "█" in line
    )
    assert bar.index("█") == pytest.approx(len(bar) * 12 / 38, abs=1)
    assert bar.count("█") == pytest.approx(len(bar) * 12 / 38, abs=2)


def test_a_timeout_shows_the_expected_answer_only(report):
    text = _failure(report, "pebble", "zero-gap")
    assert "actual (none: timeout)" in text
    assert '"delta"' in text
    assert "missing" not in text
    assert "goroutine 1 [running]:" in text


def test_external_markup_and_escapes_are_escaped(report):
    _, result = _find(report, "goleveldb", "checksum-bit-flip")
    result["difference"] = "[bold]not markup[/bold] \x1b[31mnot red"
    text = _failure(report, "goleveldb", "checksum-bit-flip")
    assert "[bold]not markup[/bold] \\x1b[31mnot red" in text


def test_the_repeat_command_is_never_broken(report):
    _, result = _find(report, "goleveldb", "checksum-bit-flip")
    result["repeat"] = "walproof check --cmd './" + "long/" * 40 + "reader' --vector x"
    assert f"    {result['repeat']}\n" in _failure(report, "goleveldb", "checksum-bit-flip")
