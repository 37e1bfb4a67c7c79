"""``walproof diff`` compares a log with its recovered version or with a replica."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.vectors import load_all
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli import walproof

VECTORS = load_all()


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(walproof, list(map(str, arguments)), standalone_mode=False)


def made(path: Path, *payloads: bytes) -> Path:
    named("leveldb-log").write(path, [NewRecord(payload) for payload in payloads], {})
    return path


def test_a_recovered_log_has_the_same_records(tmp_path: Path) -> None:
    damaged = VECTORS["leveldb-log/payload-flipped-in-middle-fragment"].input
    run("recover", damaged, "--out", tmp_path / "new.log")
    done = run("diff", damaged, tmp_path / "new.log")
    assert done.return_value == 0, done.stdout
    assert "70,021 bytes lost" in done.stdout
    assert (
        done.stdout.splitlines()[-1]
        == "no difference; A has losses, so the comparison is incomplete"
    )
    done = run("diff", tmp_path / "new.log", tmp_path / "new.log")
    assert done.stdout.splitlines()[-1] == "no difference"
    (body,) = [
        json.loads(line)
        for line in run("diff", damaged, tmp_path / "new.log", "--json").stdout.splitlines()
    ]
    assert (body["kind"], body["log"], body["lost_bytes"]) == ("not whole", "a", 70_021)


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("sides", ["both", "first", "second"])
def test_refused_logs_cannot_be_compared(sides: str, options: list[str], tmp_path: Path) -> None:
    sound = VECTORS["systemd-journal/five-entries"].input
    refused = tmp_path / "refused.journal"
    refused.write_bytes(sound.read_bytes().replace(b"LPKSHHRH", b"LPKSHHRX"))
    first = sound if sides == "second" else refused
    second = sound if sides == "first" else refused
    done = run("diff", first, second, "--format", "systemd-journal", *options)
    assert done.return_value == 4
    assert done.stdout == ""
    assert f"{first} and {second} cannot be compared" in done.stderr
    assert f"{refused}: systemd-journal, refused (not-a-journal)" in done.stderr


def test_empty_logs(tmp_path: Path) -> None:
    for name in ("000003.log", "000004.log"):
        (tmp_path / name).write_bytes(b"")
    done = run("diff", tmp_path / "000003.log", tmp_path / "000004.log")
    assert done.return_value == 0
    assert done.stdout.splitlines()[-1] == "no records to compare"
    each = made(tmp_path / "1.log", b"alpha")
    assert run("diff", tmp_path / "000003.log", each).return_value == 3


def test_a_log_and_the_folder_that_it_is_in(tmp_path: Path) -> None:
    journal = VECTORS["systemd-journal/five-entries"].input
    shutil.copy(journal, tmp_path / "system.journal")
    done = run("diff", journal, tmp_path)
    assert (done.return_value, done.stdout.splitlines()[-1]) == (0, "no difference")


def test_losses_of_a_system_prevent_equality(tmp_path: Path) -> None:
    journal = VECTORS["systemd-journal/five-entries"].input
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        shutil.copy(journal, tmp_path / name / "system.journal")
    (tmp_path / "other" / "user-1.journal").write_bytes(bytes(4096))
    done = run("diff", tmp_path / "one", tmp_path / "other")
    assert done.stdout.splitlines()[1].endswith("damaged, 5 records, 1 finding of loss")
    assert (
        done.stdout.splitlines()[-1]
        == "no difference; B has losses, so the comparison is incomplete"
    )
    (tmp_path / "one" / "user-1.journal").write_bytes(bytes(4096))
    done = run("diff", tmp_path / "one", tmp_path / "other")
    assert done.stdout.splitlines()[-1].endswith(
        "; A and B have losses, so the comparison is incomplete"
    )


def test_each_kind_of_difference(tmp_path: Path) -> None:
    each = made(tmp_path / "1.log", b"alpha", b"bravo", b"charlie", b"delta")
    other = made(tmp_path / "2.log", b"alpha", b"BRAVO", b"charlie", b"delta", b"echo")
    done = run("diff", each, other)
    assert done.return_value == 3
    assert done.stdout.splitlines()[2:] == [
        '~A at 12: "bravo"',
        '~B at 12: "BRAVO"',
        '+  at 50: "echo"',
        "1 only in the second, 1 different",
    ]
    bodies = [json.loads(line) for line in run("diff", each, other, "--json").stdout.splitlines()]
    assert [body["kind"] for body in bodies] == ["different", "only in the second"]
    assert bodies[1]["a"] is None


def test_two_formats_are_not_compared(tmp_path: Path) -> None:
    journal = VECTORS["systemd-journal/five-entries"].input
    log = VECTORS["leveldb-log/three-records"].input
    assert "expected one format" in str(run("diff", journal, log).exception)
