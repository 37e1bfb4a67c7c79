"""The terminal reports are complete, fit the width, and are readable without colour."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from conformance.reports import terminal
from tests.conformance.reports.conftest import FLIPPED, record


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
    assert "iq80       unavailable: mvn is not on the PATH" in text
    assert "my-reader  broken: hello: no reply" in text
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
        # Only commands may exceed the width, because a line break would spoil copying them.
        assert len(line) <= width or line.startswith("    walproof check "), line
        assert line == line.rstrip()
    assert "\x1b" not in text


def test_an_ascii_console_gets_ascii(report):
    assert "-- null baselines --" in _summary(report, file=_AsciiFile())
    text = _failure(report, "goleveldb", "type-flipped-to-unknown", file=_AsciiFile())
    assert "~ known failure  leveldb-log/type-flipped-to-unknown" in text


def test_a_failure_shows_all_details(report):
    lines = _failure(report, "goleveldb", FLIPPED, 120).splitlines()
    text = "\n".join(" ".join(line.split()) for line in lines)
    for expected_line in (
        f"✗ fail leveldb-log/{FLIPPED}",
        "implementation goleveldb 1.0.0, profile recover",
        "requirement LDB-006 The checksum is the CRC-32C of the type byte and the data",
        "damaged flip bit 17 of blocks[0].records[1].data",
        "control leveldb-log/three-records: pass",
        'difference record at 12, 12 B: expected nothing, found "brbvo"',
        "stderr (tail)\n| bad \\x1b[0m block",
        f"walproof check --impl goleveldb --vector leveldb-log/{FLIPPED}",
    ):
        assert expected_line in text, expected_line


def test_differences_beyond_the_limit_are_counted(report):
    _, result = _find(report, "goleveldb", FLIPPED)
    result["difference"] = "records: expected 1, found 100"
    result["actual"] = {"records": [record(n, str(n)) for n in range(100)]}
    assert " and 76 more\n" in _failure(report, "goleveldb", FLIPPED)


def test_external_markup_and_escapes_are_escaped(report):
    _, result = _find(report, "goleveldb", FLIPPED)
    result["difference"] = "[bold]not markup[/bold] \x1b[31mnot red"
    text = _failure(report, "goleveldb", FLIPPED)
    assert "[bold]not markup[/bold] \\x1b[31mnot red" in text


def test_the_repeat_command_is_never_broken(report):
    _, result = _find(report, "goleveldb", FLIPPED)
    result["repeat"] = "walproof check --cmd './" + "long/" * 40 + "reader' --vector x"
    assert f"    {result['repeat']}\n" in _failure(report, "goleveldb", FLIPPED)


def test_what_was_compared_and_what_was_not(report):
    report["implementations"] = report["implementations"][:1]
    text = " ".join(_summary(report, 200).split())
    assert "compared for specification: recover, strict; records, at, signals not compared" in text
    assert "not compared for specification: write, append; size, verdict, reason, lost, end" in text


def test_nothing_was_compared_if_every_case_was_skipped(report):
    report["implementations"] = report["implementations"][:1]
    for result in report["implementations"][0]["results"]:
        result |= {"class": "skipped", "difference": "no such profile"}
    text = _summary(report, 200)
    assert "compared for" not in text
    assert "Nothing was checked: every case was skipped (no such profile)." in text


def test_no_line_of_a_program_is_a_command_of_github(builder):
    report = (
        builder()
        .vector("flip", "checksum")
        .implementation("reader")
        .result("flip", "fail", difference="x", stderr="x" * 300 + "\n  ::error::forged" * 2)
        .build()
    )
    shown = _failure(report, "reader", "flip", 40)
    assert shown.count("::error::forged") == 2
    assert not re.search(r"^\s*::", shown, re.M)
