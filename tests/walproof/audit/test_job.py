"""What an audit finds, and what it reads again. Without Spark: the tasks are the same there."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

from reference_impl.answer import collect
from reference_impl.formats import named
from walproof.audit.job import Outcome, audit
from walproof.audit.terminal import print_summary

from .in_process import InProcess
from .lakes import MIXED, leveldb, mixed, options, vector
from .tables import rows

Audit = Callable[..., Outcome]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return mixed(tmp_path / "lake")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def run(lake: Path, out: Path, most_bytes: int = 1 << 20, **given: Any) -> Outcome:
    again = given.pop("again", False)
    return audit(options(lake, **given), out, InProcess(), most_bytes, again)


def read(outcome: Outcome) -> tuple[int, int]:
    return outcome.summary["read"]["logs"], outcome.summary["carried_over"]["logs"]


def test_what_the_reference_reader_says(lake: Path, out: Path) -> None:
    run(lake, out, payload=True)
    records, damage, files = (rows(out, table) for table in ("records", "damage", "files"))
    for format_id, names in MIXED.items():
        for name in names:
            log = lake / format_id / name
            context = {"last_flushed_index": "meta"} if format_id == "zeebe-journal" else {}
            owed = collect(named(format_id).read(log, "recover", context))
            told = [row for row in files if row["log"] == str(log)]
            assert {(r["log_verdict"], r["log_reason"]) for r in told} == {
                (owed.verdict, owed.reason)
            }
            mine = [row for row in records if row["log"] == str(log)]
            assert sorted((r["file"], r["offset"], r["length"], r["payload"]) for r in mine) == (
                sorted(
                    (str(log / r.file if r.file else log), r.at, r.size, r.payload)
                    for r in owed.records
                )
            )
            lost = [row for row in damage if row["log"] == str(log)]
            assert sorted((r["file"], r["offset"], r["length"], r["reason"]) for r in lost) == (
                sorted(
                    (
                        str(log / gap.file if gap.file else log),
                        gap.start,
                        gap.end - gap.start,
                        gap.reason,
                    )
                    for gap in owed.lost
                )
            )
            assert sum(row["records"] for row in told) == len(owed.records)
            assert sum(row["lost_ranges"] for row in told) == len(owed.lost)


def test_what_cannot_be_read_is_a_row(lake: Path, out: Path) -> None:
    summary = run(lake, out).summary
    files = {Path(row["file"]).name: row for row in rows(out, "files")}
    assert files["notes.txt"]["format"] is None and files["notes.txt"]["error"] is None
    assert files["nowhere.log"]["error"] == "No such file or directory"
    assert "neither a file nor a folder" in files["pipe.log"]["error"]
    assert files["rocksdb-recyclable.log"]["verdict"] == "refused"
    assert summary["totals"]["unreadable"] == 2 and summary["totals"]["other_files"] == 1
    assert summary["totals"]["refused"] == 1


def test_a_reader_that_fails_is_a_row(
    lake: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from walproof.lake import opening

    honest = opening.scanner

    class Failing:
        def plan(self, *_: Any) -> Any:
            raise MemoryError

        def scan(self, *_: Any) -> Any:
            raise ZeroDivisionError("of the reader")

    monkeypatch.setattr(
        opening, "scanner", lambda name: Failing() if name == "zmq-raft" else honest(name)
    )
    run(lake, out)
    errors = {row["error"] for row in rows(out, "files") if row["format"] == "zmq-raft"}
    assert errors == {"ZeroDivisionError: of the reader"}
    assert any(row["format"] == "kahadb-journal" for row in rows(out, "records"))


def test_nothing_is_read_twice(lake: Path, out: Path) -> None:
    first = run(lake, out)
    logs, kept = read(first)
    assert (logs, kept) == (12, 0)
    result = (out / ".current").readlink()
    again = run(lake, out)
    assert not again.is_new and again.summary == first.summary
    assert (out / ".current").readlink() == result


def test_only_what_has_changed_is_read(lake: Path, out: Path) -> None:
    run(lake, out)
    log = lake / "zmq-raft" / "a-thousand-entries.rlog"
    log.write_bytes(log.read_bytes()[:-3])
    leveldb(lake / "new.log", 10)
    (lake / "systemd-journal" / "closed-file.journal").unlink()
    assert read(run(lake, out)) == (2, 10)
    fresh = out.with_name("fresh")
    run(lake, fresh)
    for table in ("records", "damage", "files"):
        assert rows(out, table) == rows(fresh, table)
    told, expected = (json.loads((d / "summary.json").read_text()) for d in (out, fresh))
    for name in ("totals", "formats", "reasons", "where", "record_sizes", "over_time", "worst"):
        assert told[name] == expected[name]
    assert read(run(lake, out, again=True)) == (12, 0)


def test_a_change_inside_is_seen_by_its_time(lake: Path, out: Path) -> None:
    log = leveldb(lake / "long.log", 1000)
    run(lake, out)
    data = bytearray(log.read_bytes())
    data[50_000] ^= 1
    log.write_bytes(data)
    assert read(run(lake, out))[0] == 1
    assert any(row["file"] == str(log) for row in rows(out, "damage"))


def test_with_other_options_everything_is_read(lake: Path, out: Path) -> None:
    run(lake, out)
    assert read(run(lake, out, payload=True)) == (12, 0)
    assert any(row["payload"] for row in rows(out, "records"))


def test_parts_of_a_large_log(tmp_path: Path, out: Path) -> None:
    log = leveldb(tmp_path / "lake" / "large.log", 5000)
    data = bytearray(log.read_bytes())
    for at in (40_000, 140_000, 141_000, 300_000):
        data[at] ^= 1
    log.write_bytes(data[:-7])
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run(log, whole, 1 << 30)
    outcome = run(log, parts, 64 << 10)
    assert len(list((parts / "records").glob("*.parquet"))) == 9 + 1  # one has no rows
    for table in ("records", "damage", "files"):
        assert rows(parts, table) == rows(whole, table)
    assert not run(log, parts, 64 << 10).is_new
    leveldb(tmp_path / "lake" / "small.log", 3)
    assert read(run(tmp_path / "lake", parts, 64 << 10)) == (1, 1)
    assert outcome.summary["totals"]["damaged"] == 1


def test_small_shards_are_put_together(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("walproof.audit.plan.SMALL_SHARDS", 4)
    lake = tmp_path / "lake"
    for n in range(8):
        leveldb(lake / f"{n}.log", 2)
        run(lake, out)
    shards = {row["file"] for row in rows(out, "records")}
    assert len(shards) == 8
    assert len(list((out / "records").iterdir())) <= 6


def test_names_that_are_no_text(tmp_path: Path, out: Path) -> None:
    leveldb(tmp_path / "lake" / os.fsdecode(b"caf\xe9.log"), 3)
    run(tmp_path / "lake", out)
    assert {row["file"] for row in rows(out, "records")} == {f"{tmp_path}/lake/caf\\xe9.log"}


def test_two_journals_in_one_folder(tmp_path: Path, out: Path) -> None:
    vector("zeebe-journal", "another-journal-in-the-folder", tmp_path / "lake")
    run(tmp_path / "lake", out)
    logs = {row["log"] for row in rows(out, "files")}
    assert len(logs) == 2 and all(log.endswith("-*.log") for log in logs)


def test_the_output_may_lie_in_the_lake(lake: Path) -> None:
    out = lake / "audit"
    run(lake, out)
    assert not run(lake, out).is_new
    assert not any("/audit/" in row["file"] for row in rows(out, "files"))


def test_nothing_at_all(tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run(tmp_path / "empty", out).summary["totals"]["logs"] == 0
    for table in ("records", "damage", "files"):
        assert pq.read_table(out / table).num_rows == 0
    with pytest.raises(FileNotFoundError):
        run(tmp_path / "missing", out)


def test_the_log_is_never_changed(lake: Path, out: Path) -> None:
    def state() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in lake.rglob("*") if p.is_file()}

    before = state()
    run(lake, out)
    assert state() == before


def test_a_log_of_zeros_is_told_as_such(tmp_path: Path, out: Path) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "wiped.log").write_bytes(bytes(200_000))
    with (lake / "prepared.log").open("wb") as file:
        file.truncate(3 << 20)  # in parts, and a hole
    leveldb(lake / "sound.log", 3)
    (lake / "empty.log").touch()
    for turn in range(2):  # read, then carried over
        summary = run(lake, out).summary
        assert {row["file"] for row in rows(out, "files") if row["remark"]} == {
            str(lake / "wiped.log"), str(lake / "prepared.log"),
        }  # fmt: skip
        assert [(each["size"]) for each in summary["blank"]["first"]] == [3 << 20, 200_000]
        leveldb(lake / f"more-{turn}.log", 3)
    console = Console(width=80, record=True, file=io.StringIO())
    print_summary(summary, out, True, console)
    assert re.search(r"^zeros  wiped\.log: 19\d\S* \w+, all 0$", console.export_text(), re.M)
