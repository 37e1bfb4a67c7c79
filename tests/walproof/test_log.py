"""The Python interface reads one or many logs, writes, reports errors, and is cheap to import."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import walproof
from conformance import VECTORS
from conformance.vectors import load_all
from reference_impl.answer import collect
from reference_impl.formats import named
from walproof import log as log_module
from walproof import testing

DAMAGED = VECTORS / "leveldb-log" / "first-then-full.log"
READ_VECTORS = [vector for vector in load_all().values() if vector.operation == "read"]


@pytest.mark.parametrize("limit", [0, log_module.LARGE_LOG_BYTES])
def test_the_attributes_are_those_of_the_answer(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "LARGE_LOG_BYTES", limit)
    for vector in READ_VECTORS[::20]:
        format, context = vector.body["format"], vector.body.get("context", {})
        expected = collect(named(format).read(vector.input, "recover", context)).to_json()
        with log_module.Log(format, vector.input, context=context) as log:
            gaps = [gap.to_json() for gap in log.lost]
            assert (log.verdict, log.reason, log.end) == tuple(
                expected[part] for part in ("verdict", "reason", "end")
            ), vector.id
            assert gaps == expected["lost"], vector.id
            assert [record.to_json() for record in log.records] == expected["records"], vector.id
            assert [gap.to_json() for gap in log.lost] == expected["lost"], vector.id
            assert log.answer().to_json() == expected


def test_every_kind_of_input_gives_the_same(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    # The thread is a daemon in case the pipe is never opened for reading.
    writer = threading.Thread(target=lambda: pipe.write_bytes(DAMAGED.read_bytes()), daemon=True)
    writer.start()
    data = DAMAGED.read_bytes()
    with DAMAGED.open("rb") as file:
        logs = [walproof.open(each) for each in (DAMAGED, str(DAMAGED), data, file, pipe)]
    logs.append(walproof.open(io.BytesIO(data), format="leveldb-log"))
    writer.join(60)
    for log in logs:
        assert (log.verdict, len(list(log.records)), log.end) == ("damaged", 3, 50)
    copies = [log.path for log in logs if log.is_copy]
    assert len(copies) == 4
    for log in logs:
        log.close()
    assert not any(path.exists() for path in copies) and DAMAGED.exists()


def test_strict_stops_at_the_first_damage() -> None:
    with walproof.open(DAMAGED, profile="strict") as log:
        assert [record.payload for record in log.records] == [b"alpha"]
        assert log.to_arrow().read_all()["kind"].to_pylist() == ["record", "lost"]


def test_rows_are_those_of_the_records_and_lost_ranges() -> None:
    for vector in READ_VECTORS[::40]:
        log = log_module.Log(
            vector.body["format"], vector.input, context=vector.body.get("context", {})
        )
        rows = log.to_arrow().read_all().to_pylist()
        records = [row for row in rows if row["kind"] == "record"]
        assert [row["payload"] for row in records] == [record.payload for record in log.records]
        assert sum(row["kind"] == "lost" for row in rows) == len(log.lost)
        kinds = {row["kind"] for row in rows}
        assert (log.verdict == "refused") == ("refused" in kinds), vector.id


def test_find_and_scan(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "000003.log").write_bytes(DAMAGED.read_bytes())
    (tmp_path / "notes").write_text("text")
    (tmp_path / "link.log").symlink_to(DAMAGED)
    (log,) = walproof.find(tmp_path)
    assert (log.name, log.format) == (str(tmp_path / "sub" / "000003.log"), "leveldb-log")
    assert walproof.scan(tmp_path).read_all().num_rows == 4
    assert walproof.scan([tmp_path, DAMAGED]).read_all().num_rows == 8
    assert hasattr(walproof.scan(tmp_path), "__arrow_c_stream__")
    assert list(walproof.find(tmp_path, "kahadb-journal")) == []


def test_a_log_that_cannot_be_read_is_a_row(tmp_path: Path) -> None:
    (path := tmp_path / "000003.log").write_bytes(DAMAGED.read_bytes())
    stream = walproof.scan([DAMAGED, path])
    path.unlink()
    rows = stream.read_all().to_pylist()
    assert [row["kind"] for row in rows[4:]] == ["unreadable"]
    assert rows[4]["detail"] == "No such file or directory"


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(walproof.UnknownFormat, match="expected a log of"):
        walproof.open(b"no log, only text")
    with pytest.raises(walproof.UnknownFormat, match="unknown format"):
        walproof.open(DAMAGED, "leveldb")
    with pytest.raises(walproof.BadContext, match="unknown context key 'key'"):
        walproof.open(DAMAGED, key=1)
    with pytest.raises(walproof.BadContext, match="expected a key"):
        walproof.open(VECTORS / "systemd-journal" / "five-entries.journal", key="no key")
    with pytest.raises(FileNotFoundError):
        walproof.open(tmp_path / "missing")
    with pytest.raises(ValueError, match="a context needs a format"):
        walproof.scan(tmp_path, key=1)
    with pytest.raises(FileExistsError):
        walproof.create(DAMAGED, "leveldb-log")
    with pytest.raises(FileExistsError):
        walproof.open(DAMAGED).recover_to(DAMAGED)


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(walproof.CannotWrite, match="asqn"),
        walproof.create(tmp_path / "journal", "zeebe-journal") as log,
    ):
        log.add(b"a", asqn="5")
        log.add(b"b", asqn="4")
    with pytest.raises(KeyError), walproof.create(tmp_path / "new.log", "leveldb-log") as log:
        log.add(b"a")
        raise KeyError
    refused = walproof.open(b"LPKSHHRH" + b"\xff" * 300)
    with pytest.raises(walproof.CannotWrite, match="refused"):
        refused.recover_to(tmp_path / "new.journal")
    assert list(tmp_path.iterdir()) == []


def test_an_append_removes_a_torn_tail(tmp_path: Path) -> None:
    with walproof.create(path := tmp_path / "new.log", "leveldb-log") as log:
        log.add(b"alpha")
        log.add(b"bravo")
    path.write_bytes(path.read_bytes()[:-1])
    with walproof.append(path) as log:
        log.add(b"charlie")
    with walproof.open(path) as result:
        assert [record.payload for record in result.records] == [b"alpha", b"charlie"]
        assert result.verdict == "intact"


def test_check_names_the_vectors_that_a_reader_fails() -> None:
    def read(path: Path, /, **context: object) -> dict[str, object]:
        answer = log_module.Log("leveldb-log", path, context=context).answer().to_json()
        if answer["verdict"] == "torn":
            raise RuntimeError("torn")
        return answer | {"reason": None}

    failures = testing.check(read, "leveldb-log", by_path=True)
    examples = testing.vectors("leveldb-log")
    assert len(examples) > len(failures) > 100
    assert len({example.id for example in examples}) == len(examples)
    texts = list(map(str, failures))
    assert "leveldb-log/first-then-full: reason: expected incomplete-record, found nothing" in texts
    assert any(text.endswith(": raises RuntimeError: torn") for text in texts)
    reports = ["records", "verdict", "lost"]
    rest = testing.check(read, "leveldb-log", by_path=True, reports=reports)
    assert {failure.differences[0] for failure in rest} == {"raises RuntimeError: torn"}


@pytest.mark.slow
@pytest.mark.parametrize("format", ["rocksdb-wal", "kahadb-journal"])
@pytest.mark.parametrize("strategy", [testing.logs, testing.damaged_logs])
def test_strategies_come_with_the_answer(strategy, format: str, tmp_path: Path) -> None:
    from hypothesis import HealthCheck, given, settings

    verdicts = set()

    @settings(
        max_examples=30, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy(format))
    def run(example: testing.Example) -> None:
        verdicts.add(example.expected["verdict"])
        directory = tmp_path / str(len(list(tmp_path.iterdir())))
        directory.mkdir()
        path = example.write_to(directory)
        example.check(log_module.Log(format, path, context=example.context).answer())

    run()
    assert verdicts <= {"intact", "torn"} if strategy is testing.logs else len(verdicts) > 2


def test_an_import_loads_nothing_heavy() -> None:
    program = (
        "import sys; before = set(sys.modules); import walproof; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    imported = {name for name in done.stdout.split() if not name.startswith("importlib")}
    assert imported <= {"walproof", "__future__", "warnings"}
    heavy = {"numba", "numpy", "pyarrow", "click", "rich", "jsonschema_rs", "kaitaistruct"}
    program = (
        f"import sys, walproof; list(walproof.open({str(DAMAGED)!r}).records); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout and not heavy & set(done.stdout.split())


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in [name for name in sys.modules if name.startswith("walproof.arrow_stream")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'walproof\[fast\]'"):
        walproof.open(DAMAGED).to_arrow()


def test_every_public_name_is_documented() -> None:
    page = (VECTORS.parent / "docs" / "python.md").read_text(encoding="utf-8")
    for name in walproof.__all__:
        assert f"`{name}`" in page or f"walproof.{name}" in page
        assert getattr(walproof, name).__doc__, name
