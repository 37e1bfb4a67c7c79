"""The terminal reports: complete, within the width, and readable without colour."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from conformance.reports import terminal


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


def _summary(report, width=80, file=None, **more):
    console = _console(width, file)
    terminal.print_report(report, console, **more)
    return console.file.getvalue()


def _failure(report, name, slug, width=80, file=None):
    console = _console(width, file)
    terminal.show_failure(report, *_find(report, name, slug), console)
    return console.file.getvalue()


def test_unavailable_implementations_are_listed_with_a_reason(report):
    text = _summary(report, 160)
    assert "iq80       unavailable: neither mvn nor gradle is on the PATH" in text
    assert "my-reader  broken: no reply to hello" in text
    assert "Not as expected: 7 results, 1 broken." in text


def test_an_expected_run_is_reported_as_such(builder):
    report = builder().vector("whole", "framing").implementation("reader").others_pass().build()
    text = _summary(report)
    assert "1 result in 12.4 s: 1 pass\nAll is as expected." in text


def test_the_path_of_the_full_report_is_not_broken(report):
    path = "/some/" + "deep/" * 30 + "report.html"
    assert f"Full report: {path}\n" in _summary(report, full_report=path)


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_wider_than_the_console_or_padded(report, width):
    text = _summary(report, width)
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
    assert "-- null baselines --" in _summary(report, file=_AsciiFile())
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
