"""The command, without Spark: what it prints, what it leaves, how it ends."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import ROOT
from tests.spark_cluster import wait_for
from walproof.audit.output import Output
from walproof.cli import walproof

from .lakes import leveldb, mixed, vector
from .tables import rows


def run(*arguments: object) -> Result:
    words = ["audit", *map(str, arguments), "--master", "none"]
    return CliRunner().invoke(walproof, words, standalone_mode=False)


def test_the_table(tmp_path: Path) -> None:
    lake, out = mixed(tmp_path / "lake"), tmp_path / "out"
    ended = run(lake, "--out", out)
    assert ended.return_value == 3, ended.output
    for line in (
        r"format +logs +files +size +records +intact +torn +damaged +refused +lost",
        r"zeebe-journal +2 +\d+ +\d.* KiB +\d+ .*",
        r"all +11 .*",
        r"checksum-mismatch +\d+ +.*B +\d+ +damaged +(leveldb-log|kahadb-journal)",
        r"unreadable  nowhere.log: No such file or directory",
        r"1 file is no log of a known format\.",
        r"11 logs, .* damaged, .* torn, 1 refused, 2 unreadable; .*B lost\.",
        r"Read 12 logs and other files, .*, in .* s.*",
        rf"Tables {out}/records, damage, files; plots {out}/summary.html",
    ):
        assert re.search(f"^{line}$", ended.stdout, re.MULTILINE), (line, ended.stdout)
    assert "Nothing has changed" in run(lake, "--out", out).stdout


def test_exit_status(tmp_path: Path) -> None:
    out = tmp_path / "out"
    intact = leveldb(tmp_path / "lake" / "a.log", 3)
    assert run(intact, "--out", out).return_value == 0
    refused = vector("leveldb-log", "rocksdb-recyclable.log", tmp_path / "lake")
    assert run(intact, refused, "--out", out).return_value == 4
    torn = vector("leveldb-log", "cut-in-a-payload.log", tmp_path / "lake")
    assert run(refused, torn, "--out", out).return_value == 3
    (tmp_path / "lake" / "gone.log").symlink_to("nowhere")
    unreadable = run(tmp_path / "lake", "--out", out, "--option", "pathGlobFilter=gone*")
    assert unreadable.return_value == 3 and "nothing" not in unreadable.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("/nowhere/at/all", "--out", "OUT"), "path does not exist: /nowhere/at/all"),
        ((".", "--out", "OUT", "--option", "colour=red"), "unknown option 'colour'"),
        ((".", "--out", "OUT", "--option", "colour"), "expected KEY=VALUE"),
        ((".",), "--out"),
    ],
)
def test_usage(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    words = [word.replace("OUT", str(tmp_path / "out")) for word in arguments]
    command = [sys.executable, "-m", "walproof.audit", *words, "--master", "none"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 1
    assert said in ended.stderr and "Traceback" not in ended.stderr


def test_while_another_one_runs(tmp_path: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 1)
    with Output(tmp_path / "out").locked():
        ended = run(tmp_path / "lake", "--out", tmp_path / "out")
    assert "another audit writes here" in str(ended.exception)


def test_help_has_examples() -> None:
    said = run("--help").output
    assert "walproof audit /var/log/journal" in said and "Exit status: 0" in said


def test_options_of_the_data_source(tmp_path: Path) -> None:
    leveldb(tmp_path / "lake" / "a.log", 1)
    leveldb(tmp_path / "lake" / "b.wal", 1)
    out = tmp_path / "out"
    run(tmp_path / "lake", "--out", out, "--option", "pathGlobFilter=*.wal", "--payload")
    (row,) = rows(out, "records")
    assert row["file"].endswith("b.wal") and row["payload"]


def test_the_page_needs_nothing(tmp_path: Path) -> None:
    run(mixed(tmp_path / "lake"), "--out", tmp_path / "out")
    page = (tmp_path / "out" / "summary.html").read_text()
    assert "<script" not in page and "default-src 'none'" in page
    links = re.findall(r"""(?:href|src)=["']([^"']+)|url\(([^)]+)""", page)
    assert all("".join(link).startswith("data:") for link in links)
    assert page.count("<svg") >= 5
    for words in ("Damage by reason", "Where in the files it lies", "Records over time"):
        assert words in page
    assert "by the clock of the record (systemd)" in page
    assert "by the time the file was last changed" in page


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>&.log"
    folder = tmp_path / "lake"
    vector("leveldb-log", "large-lengths-in-every-block.log", folder).rename(
        folder / name.replace("/", "⁄")
    )
    run(folder, "--out", tmp_path / "out")
    page = (tmp_path / "out" / "summary.html").read_text()
    assert "<script>" not in page and "&lt;script&gt;" in page


def test_killed_and_gone_on(tmp_path: Path) -> None:
    """As it happens to users: kill -9 for the program, at some moment."""
    lake, out = tmp_path / "lake", tmp_path / "out"
    for n in range(4):
        for log in (ROOT / "vectors" / "systemd-journal").glob("[a-d]*.journal"):
            (lake / str(n)).mkdir(parents=True, exist_ok=True)
            (lake / str(n) / log.name).write_bytes(log.read_bytes())
    command = [sys.executable, "-m", "walproof.audit", str(lake), "--out", str(out)]
    command += ["--master", "none", "--unit", "0.02"]
    job = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)

    def notes() -> list[Path]:
        return list(out.glob(".results/*/done/[0-9]*.json"))

    wait_for(lambda: len(notes()) >= 5 or None, lambda: job.poll() is not None)
    job.send_signal(signal.SIGKILL)
    assert job.wait() == -signal.SIGKILL
    assert not (out / "records").exists()
    done = len(notes())
    started = time.time()
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 3, ended.stderr
    assert done >= 5 and time.time() > started
    assert re.search(r"; \d+ unchanged, carried over\.", ended.stdout)
    run(lake, "--out", tmp_path / "fresh")
    for table in ("records", "damage", "files"):
        assert rows(out, table) == rows(tmp_path / "fresh", table)


def test_stopped_by_sigterm_it_says_how_far_it_came(tmp_path: Path) -> None:
    for number in range(40):
        leveldb(tmp_path / "lake" / f"{number}.log", 2000)
    out = tmp_path / "out"
    command = [
        sys.executable, "-m", "walproof", "audit", tmp_path / "lake",
        "--out", out, "--master", "none", "--unit", "0.05",
    ]  # fmt: skip
    running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(out.glob(".results/*.building/done/0*.json")):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    running.terminate()
    _, said = running.communicate(timeout=60)
    if running.returncode == 0:
        pytest.skip("unavailable, because it was done before it could be stopped")
    assert running.returncode == 128 + signal.SIGTERM
    assert re.search(r"Stopped: \d+ of 40 logs were read\. Run it again to go on", said), said
    assert not (out / "records").exists()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert "80,000 records: all intact" in done.stdout


def test_what_records_mean_is_a_column_of_text(tmp_path: Path) -> None:
    lake, out = tmp_path / "lake", tmp_path / "out"
    journal = vector("systemd-journal", "append-a-long-field-to-an-xz-file.journal", lake)
    snapshot = vector("zmq-raft", "a-key-twice-in-one-update.pers", lake)
    run(lake, "--out", out, "--decode")
    found = rows(out, "records")
    said = {
        path.name: [r["decoded"] for r in found if r["file"] == str(path)]
        for path in lake.iterdir()
    }
    assert said[journal.name][0] == "2023-11-14T22:13:20+00:00 host unknown: alpha  (info)"
    assert said[snapshot.name] and all(said[snapshot.name])
    # What it was made from is there only if it is asked for.
    assert all(row["payload"] is None and row["fields"] is None for row in found)
    assert all(row["update"] is None for row in found)
    run(lake, "--out", out, "--decode", "--payload")
    with_payload = rows(out, "records")
    assert [row["decoded"] for row in with_payload] == [row["decoded"] for row in found]
    assert any(row["payload"] for row in with_payload)
    run(lake, "--out", out)
    assert all(row["decoded"] is None for row in rows(out, "records"))
