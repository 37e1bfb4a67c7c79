"""Tests of a Zeebe partition: its segments, its snapshots, and its node state."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from crc32c import crc32c

from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
from reference_impl.zeebe_journal.layout import SBE_HEADER
from reference_impl.zeebe_journal.meta import Meta, write_meta
from reference_impl.zeebe_journal.raft import encode_application, encode_initial
from tests.real_files import unpack_partition
from tests.walproof.real_systems import Driver
from walproof.summary.summary import summarise
from walproof.systems import Finding, System, recognise

NAME = "raft-partition-partition-1"
META, CONF, LOCK = f"{NAME}.meta", f"{NAME}.conf", f".{NAME}.lock"
JOURNAL = named("zeebe-journal")
#: A time whose lowest byte is a line feed.
UPDATED = 1_783_667_202_826


def partition(
    folder: Path,
    first: int = 1,
    records: int = 9,
    flushed: int | None = None,
    snapshot: int = 0,
    positions: str | None = None,
) -> Path:
    """Write the directory of a partition; indexes begin with ``first``."""
    new = []
    for number in range(1, records + 1):
        data = f"record {number}".encode().ljust(115)
        payload = encode_application(1, number, number, data, 2)
        new.append(NewRecord(payload, {"asqn": str(number), "index": str(first + number - 1)}))
    JOURNAL.write(folder, new, {"name": NAME, "max_segment_size": 700})
    (folder / META).write_bytes(write_meta(Meta(3, flushed, None, b"0")))
    (folder / LOCK).write_bytes(b"0")
    if snapshot:
        positions = positions or f"{records}-9223372036854775807"
        created = folder / "snapshots" / f"{snapshot}-1-{positions}-0-35cfec88"
        created.mkdir(parents=True)
        (created / "000008.log").write_bytes(b"")
        (created / "CURRENT").write_bytes(b"MANIFEST-000005\n")
        write_checksums(created)
    return folder


def configuration(*members: bytes) -> bytes:
    """Return the ``.conf`` file of a broker 8.3."""
    result = b"".join(struct.pack("<BqI", 3, UPDATED, len(member)) + member for member in members)
    block = struct.pack("<QQQ", 0, 0, UPDATED)
    groups = struct.pack("<HB", 9, len(members)) + result + struct.pack("<HB", 9, 0)
    return b"\1" + SBE_HEADER.pack(len(block), 5, 8, 2) + block + groups


def write_checksums(snapshot: Path, is_combined: bool = False) -> Path:
    """Write the checksums of a snapshot; brokers up to 8.5 need the combined value."""
    combined = 0
    lines = []
    for path in sorted(snapshot.iterdir()):
        combined = crc32c(path.read_bytes(), crc32c(path.name.encode(), combined))
        lines.append(f"{path.name}   {crc32c(path.read_bytes()):x}\n")
    head = f"; combinedValue = {combined:x}\n" if is_combined else ""
    checksums = snapshot.with_name(f"{snapshot.name}.checksum")
    checksums.write_text(f"; an SFV file\n{head}{''.join(lines)}")
    return checksums


def findings(folder: Path) -> list[Finding]:
    """Return all findings of a directory, including those of its log."""
    system = known(folder)
    result = summarise(system.format, folder, {})
    return [*system.findings, *system.folder_type.beyond(system, result)]


def known(folder: Path) -> System:
    system = recognise(folder)
    assert system is not None
    return system


def lost(folder: Path) -> list[str | None]:
    return [finding.file for finding in findings(folder) if finding.harm == "lost"]


Broker = Callable[[Path], dict[str, str]]


@pytest.fixture(scope="module")
def broker(zeebe: Driver) -> Broker:
    """Open a copy of a partition with the storage of a real broker; return its results."""

    def open_copy(folder: Path) -> dict[str, str]:
        copy = folder.with_name(f"{folder.name}-opened")
        shutil.copytree(folder, copy)
        return dict(zeebe.request("parts", copy)["items"])

    return open_copy


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "zeros of a new file": lambda data: bytes(32),
    "cut in the header": lambda data: data[:5],
    "cut after the header": lambda data: data[:9],
    "cut in the middle": lambda data: data[: len(data) // 2],
    "cut at the end": lambda data: data[:-1],
    "tail of zeros": lambda data: data[:1] + bytes(len(data) - 1),
    "tail of zeros after the header": lambda data: data[:9] + bytes(len(data) - 9),
    "text": lambda data: b"text instead of the file\n" * 12,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "one bit of the header": lambda data: data[:3] + bytes([data[3] ^ 16]) + data[4:],
}


def a_node(folder: Path) -> Path:
    created = partition(folder, flushed=9)
    (created / META).write_bytes(write_meta(Meta(10, 9, None, b"0"), version=2))
    (created / CONF).write_bytes(configuration(b"0"))
    return created


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """Return a directory for each fault of each small file."""
    folders = {}
    for file in (META, CONF):
        for kind, change in DAMAGE.items():
            folder = a_node(tmp_path_factory.mktemp("node") / "1")
            (folder / file).write_bytes(change((folder / file).read_bytes()))
            folders[file, kind] = folder
    return folders


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("file", [META, CONF])
def test_damage_of_a_small_file(
    file: str, kind: str, damaged: dict[tuple[str, str], Path], run
) -> None:
    folder = damaged[file, kind]
    assert set(lost(folder)) == {file}
    assert run(folder).return_value == 3


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_broker_reads_a_damaged_meta_as_the_finding_states(
    kind: str, damaged: dict[tuple[str, str], Path], broker: Broker
) -> None:
    (finding,) = (each for each in findings(damaged[META, kind]) if each.harm == "lost")
    answer = broker(damaged[META, kind])["meta"]
    if answer == "IndexOutOfBoundsException":
        assert "the node does not start" in finding.text
    elif "a broker reads" in finding.text:
        term, vote, flushed = answer.split(" ")
        says = f'the vote "{vote}"' if vote != "null" else "no vote"
        assert f"reads term {term}, {says} and flushed index {flushed}" in finding.text
    else:
        assert "expected term 1 of the last entry, or a later one, at 9" in finding.text
        assert answer.startswith("0 ")


@pytest.mark.parametrize("content", [b"", b"\0", b"some text\n", b"0\n", b" "])
def test_damage_of_the_lock(content: bytes, tmp_path: Path, run) -> None:
    folder = a_node(tmp_path / "1")
    (folder / LOCK).write_bytes(content)
    assert lost(folder) == [LOCK]
    assert known(folder).folder_type.repaired_files(known(folder)) == {LOCK: b"0"}
    run("recover", folder, "--out", tmp_path / "new")
    assert (tmp_path / "new" / LOCK).read_bytes() == b"0"
    assert (tmp_path / "new" / f"{LOCK}.before-recovery").read_bytes() == content


def test_a_broker_refuses_a_damaged_lock_and_accepts_the_repaired_lock(
    tmp_path: Path, run, broker: Broker
) -> None:
    folder = a_node(tmp_path / "1")
    (folder / LOCK).write_bytes(b"0\n")
    run("recover", folder, "--out", tmp_path / "new")
    assert broker(folder)["lock"] == "false"
    assert broker(tmp_path / "new")["lock"] == "true"


def test_the_lock_of_a_larger_group_is_not_repaired(tmp_path: Path) -> None:
    folder = a_node(tmp_path / "1")
    (folder / CONF).write_bytes(configuration(b"0", b"1", b"2"))
    (folder / LOCK).write_bytes(b"")
    assert lost(folder) == [LOCK]
    assert not known(folder).folder_type.repaired_files(known(folder))
    (folder / LOCK).write_bytes(b"2\n")
    assert known(folder).folder_type.repaired_files(known(folder)) == {LOCK: b"2"}
    (folder / LOCK).write_bytes(b"7")
    assert [(each.file, each.harm) for each in known(folder).findings][-1] == (LOCK, "lost")
    assert not known(folder).folder_type.repaired_files(known(folder))


@pytest.mark.parametrize("content", [b"", bytes(32)])
def test_the_files_of_a_new_node(content: bytes, tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", records=0)
    (folder / META).write_bytes(content)
    (folder / CONF).write_bytes(content)
    assert not [each for each in findings(folder) if each.harm != "none"]


def test_a_meta_without_flushed_entries(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=0)
    assert [(each.file, each.harm) for each in findings(folder)][-1] == (META, "look")


def test_a_missing_meta_next_to_a_configuration(tmp_path: Path) -> None:
    folder = a_node(tmp_path / "1")
    (folder / META).unlink()
    assert lost(folder) == [META]


# Real brokers.


@pytest.mark.parametrize("version", ["v8.1", "v8.3", "v8.8"])
def test_a_real_partition_has_no_findings(version: str, tmp_path: Path, run) -> None:
    folder = unpack_partition(version, tmp_path / "1")
    assert not findings(folder)
    assert run(folder).return_value == 0


# Snapshots.


@pytest.mark.parametrize("change", [lambda data: b"", lambda data: data[:-1] + b"x"])
def test_a_damaged_file_of_a_snapshot(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    (current,) = (folder / "snapshots").glob("*/CURRENT")
    current.write_bytes(change(current.read_bytes()))
    assert lost(folder) == [current.relative_to(folder).as_posix()]
    assert known(folder).facts["snapshot"] == 0


def test_checksums_with_crlf(tmp_path: Path) -> None:
    """The SnapshotChecksum of a broker reads them."""
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    (checksums,) = (folder / "snapshots").glob("*.checksum")
    name = checksums.relative_to(folder).as_posix()
    checksums.write_bytes(checksums.read_bytes().replace(b"\n", b"\r\n"))
    results = known(folder).findings
    assert [each.harm for each in results if each.file == name] == ["none"]
    checksums.write_bytes(b"text\n" * 9)
    assert lost(folder) == [name]


@pytest.mark.parametrize(
    ("change", "about"),
    [
        (lambda created: (created / "CURRENT").unlink(), "{}/CURRENT"),
        (lambda created: (created / "more").write_bytes(b"1"), "{}/more"),
        (lambda created: (created / "inner").mkdir(), "{}/inner"),
        (shutil.rmtree, "{}.checksum"),
    ],
)
def test_other_files_than_the_checksums_list(
    change: Callable[[Path], None], about: str, tmp_path: Path
) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    (created,) = (path for path in (folder / "snapshots").iterdir() if path.is_dir())
    change(created)
    assert lost(folder) == [f"snapshots/{about.format(created.name)}"]


def test_the_checksums_of_older_brokers(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    (created,) = (path for path in (folder / "snapshots").iterdir() if path.is_dir())
    checksums = write_checksums(created, is_combined=True)
    assert not [each for each in findings(folder) if each.harm != "none"]
    good = checksums.read_text()
    combined = good.partition("= ")[2].partition("\n")[0]
    checksums.write_text(good.replace(combined, "12345"))
    assert [each.harm for each in known(folder).findings][-1] == "look"
    checksums.write_bytes(int(combined, 16).to_bytes(8, "big"))
    assert not lost(folder)
    checksums.write_bytes(bytes(8))
    assert lost(folder) == [f"snapshots/{checksums.name}"]


def test_a_snapshot_without_checksums_is_ignored(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", first=4, snapshot=3)
    for file in (folder / "snapshots").glob("*.checksum"):
        file.unlink()
    system = known(folder)
    assert system.facts["snapshot"] == 0
    (finding,) = (each for each in system.findings if each.harm == "look")
    assert "a broker deletes this snapshot as unfinished" in finding.text


def test_a_damaged_snapshot_leaves_a_gap(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", first=4, snapshot=3, flushed=12)
    assert not lost(folder)
    (current,) = (folder / "snapshots").glob("*/CURRENT")
    current.write_bytes(b"")
    texts = [each.text for each in findings(folder) if each.harm == "lost"]
    assert any("a broker does not use this snapshot" in text for text in texts)
    assert any("Entries 1 to 3 are neither" in text for text in texts)


@pytest.mark.parametrize(
    ("positions", "harm"),
    [
        ("9-9", None),
        ("4659997-4659998", "lost"),
        ("4659997-9223372036854775807", "lost"),
        ("4659997-8", "look"),
        ("4659997-0", "look"),
    ],
)
def test_a_snapshot_of_positions_beyond_the_journal(
    positions: str, harm: str | None, tmp_path: Path
) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3, positions=positions)
    results = [each for each in findings(folder) if each.harm != "none"]
    assert [each.harm for each in results] == ([harm] if harm else [])
    assert all("expected position 4659997" in each.text for each in results)


def test_positions_before_entries_without_positions(tmp_path: Path) -> None:
    new = [
        NewRecord(encode_application(1, 1, 44, b"x", 2), {"asqn": "1", "index": "1"}),
        NewRecord(encode_application(1, 45, 46, b"x", 2), {"asqn": "45", "index": "2"}),
        NewRecord(encode_initial(2, 2), {"asqn": "-1", "index": "3"}),
    ]
    folder = partition(tmp_path / "1", flushed=3, snapshot=1, positions="46-46")
    for path in folder.glob("*.log"):
        path.unlink()
    JOURNAL.write(tmp_path / "2", new, {"name": NAME, "max_segment_size": 200})
    for path in (tmp_path / "2").iterdir():
        path.rename(folder / path.name)
    assert not lost(folder)
    (folder / "snapshots").rename(folder / "old")
    partition(tmp_path / "3", flushed=3, snapshot=1, positions="47-47")
    (tmp_path / "3" / "snapshots").rename(folder / "snapshots")
    (text,) = (each.text for each in findings(folder) if each.harm == "lost")
    assert "found positions up to 46 in entry 3" in text


def test_a_snapshot_of_a_follower_without_later_entries(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=9, positions="4659997-4659998")
    assert not lost(folder)


# Segments.


def test_a_partition_is_listed(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    done = run(folder)
    assert done.return_value == 0, done.output
    assert "Zeebe partition: 4 segments" in done.output
    assert "snapshot of all entries up to 3, of term 1" in done.output
    assert "\n  lost " not in done.output


@pytest.mark.parametrize("zeros", [0, 700])
def test_an_empty_first_segment_is_not_a_complete_log(zeros: int, tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1")
    for number in range(2, 5):
        (folder / f"{NAME}-{number}.log").unlink()
    (folder / f"{NAME}-1.log").write_bytes(bytes(zeros))
    size = "700 zeros" if zeros else "an empty file"
    text = f"expected a segment descriptor at 0, found {size}: the entries of this segment are lost"
    done = run(folder)
    assert done.return_value == 3
    assert text in " ".join(done.output.split())
    assert "intact;" not in done.output
    assert "Safe to append" not in done.output
    read = run("read", folder)
    assert text in " ".join(read.stderr.split())
    assert "Safe to append" not in read.stdout
    alone = run(folder / f"{NAME}-1.log")
    assert alone.return_value == 3
    assert text in " ".join(alone.output.split())


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("kind", ["text", "cut", "bit", "zeros before entries"])
def test_a_damaged_descriptor(kind: str, number: int, tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9)
    path = folder / f"{NAME}-{number}.log"
    data = path.read_bytes()
    path.write_bytes(
        {
            "text": b"text instead of a segment\n" * 20,
            "cut": data[:30],
            "bit": data[:30] + bytes([data[30] ^ 1]) + data[31:],
            "zeros before entries": bytes(57) + data[57:],
        }[kind]
    )
    assert path.name in lost(folder)
    assert run(folder).return_value >= 3


@pytest.mark.parametrize("kind", ["cut", "zeros", "CRLF", "bit"])
def test_lost_entries_of_the_last_segment(kind: str, tmp_path: Path, run) -> None:
    """The journal alone is torn, but ``.meta`` counts its entries as flushed."""
    folder = partition(tmp_path / "1", flushed=9)
    path = folder / f"{NAME}-3.log"
    data = path.read_bytes()
    changed = {
        "cut": data[:300],
        "zeros": data[:300] + bytes(len(data) - 300),
        "CRLF": data[:100] + data[100:].replace(b" ", b"\r\n"),
        "bit": data[:300] + bytes([data[300] ^ 1]) + data[301:],
    }
    path.write_bytes(changed[kind])
    assert META in lost(folder)
    assert run(folder).return_value == 3


def test_a_segment_truncated_after_its_entries(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9)
    path = folder / f"{NAME}-3.log"
    path.write_bytes(path.read_bytes()[:690])
    assert [each.file for each in findings(folder) if each.harm == "look"] == [path.name]


def test_a_missing_segment(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1")
    (folder / f"{NAME}-3.log").unlink()
    done = run(folder)
    assert done.return_value == 3
    assert "expected segment 3, found only later ones" in done.output


def test_a_partition_without_segments(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    for path in folder.glob("*.log"):
        path.unlink()
    assert lost(folder) == [None, META]
    assert run(folder).return_value == 3
    (folder / META).unlink()
    assert lost(folder) == [None]
    (folder / LOCK).unlink()
    assert lost(folder) == [None]  # snapshots alone
    assert run(folder).return_value == 3


def test_a_meta_alone(tmp_path: Path, run) -> None:
    (tmp_path / META).write_bytes(write_meta(Meta(3, 9, None, b"0")))
    assert lost(tmp_path) == [META]
    assert run(tmp_path).return_value == 3
    (tmp_path / META).write_bytes(bytes(32))
    assert not lost(tmp_path)


def test_lost_flushed_entries(tmp_path: Path, run) -> None:
    done = run(partition(tmp_path / "1", flushed=12))
    assert done.return_value == 3
    text = "expected entries up to 12, which it counts as flushed, found entries up to 9:"
    assert text in " ".join(done.output.split())


def test_entries_only_in_a_snapshot(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=12, snapshot=12)
    (finding,) = (each for each in findings(folder) if each.harm == "lost")
    assert "a snapshot has the rest, but a broker does not open this journal" in finding.text


def test_a_broker_refuses_to_lose_flushed_entries(tmp_path: Path, broker: Broker) -> None:
    beyond = partition(tmp_path / "beyond", flushed=12, snapshot=12)
    gone = partition(tmp_path / "gone", flushed=9)
    for path in gone.glob("*.log"):
        path.unlink()
    assert broker(beyond)["journal"] == "CorruptedJournalException"
    assert broker(gone)["journal"] == "1 0"


def test_a_gap_between_snapshot_and_journal(tmp_path: Path, run) -> None:
    assert run(partition(tmp_path / "whole", first=4, snapshot=3)).return_value == 0
    assert run(partition(tmp_path / "more", first=4, snapshot=5)).return_value == 0
    done = run(partition(tmp_path / "hole", first=6, snapshot=3))
    assert done.return_value == 3
    text = "expected entry 4, found a journal that begins with 6: the node does not start"
    assert text in " ".join(done.output.split())


def test_a_term_older_than_the_journal(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9)
    (folder / META).write_bytes(write_meta(Meta(0, 9, None, b"")))
    (finding,) = (each for each in findings(folder) if each.harm == "lost")
    assert finding.text.startswith("expected term 1 of the last entry, or a later one, at 9")


# Other files.


def test_the_log_has_only_the_segments_of_its_journal(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9)
    for name in ("other-1.log", f"{NAME}0-1.log", f"{NAME}-02.log", f"{NAME}-2.log_0-deleted"):
        shutil.copy(folder / f"{NAME}-2.log", folder / name)
    system = known(folder)
    assert system.folder_type.log_files(system) == [
        f"{NAME}-{number}.log" for number in range(1, 5)
    ]
    roles = {other.name: other.role for other in system.others}
    assert roles["other-1.log"] == "segment of another journal, other; not read"
    assert roles[f"{NAME}-2.log_0-deleted"].startswith("segment deleted by a broker")


# Recovery.


def test_a_recovered_partition_has_every_file(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    out = tmp_path / "new"
    done = run("recover", folder, "--out", out)
    assert done.return_value == 0, done.output
    old = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    new = {path.relative_to(out): path for path in out.rglob("*") if path.is_file()}
    assert old.keys() == new.keys()
    assert all(path.read_bytes() == new[name].read_bytes() for name, path in old.items())
    assert "whether a broker starts" in done.output


def test_a_recovered_partition_keeps_its_flushed_index(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    damaged = folder / f"{NAME}-3.log"
    damaged.write_bytes(damaged.read_bytes()[:300] + bytes(400))
    out = tmp_path / "new"
    done = run("recover", folder, "--out", out)
    assert done.return_value == 3, done.output
    assert "counts as flushed, found entries up to 7" in done.output
    assert f"a broker opens the journal only without {META}" in done.output
    assert "move its folder on this node away" in done.output
    assert (out / META).read_bytes() == (folder / META).read_bytes()
    assert (out / f"{damaged.name}.before-recovery").read_bytes() == damaged.read_bytes()
    assert len(collect(JOURNAL.read(out, "recover", {})).records) == 7
    assert f"{damaged.name}.before-recovery" not in known(out).folder_type.log_files(known(out))


@pytest.mark.parametrize("is_sealed_damaged", [False, True])
def test_a_broker_reads_the_recovered_journal_without_meta_if_recover_says_so(
    is_sealed_damaged: bool, tmp_path: Path, run, zeebe: Driver
) -> None:
    """A journal with a damaged sealed segment is copied as it is, and no broker reads it."""
    folder = partition(tmp_path / "1", flushed=9)
    damaged = folder / f"{NAME}-3.log"
    damaged.write_bytes(damaged.read_bytes()[:300] + bytes(400))
    if is_sealed_damaged:
        sealed = folder / f"{NAME}-1.log"
        data = sealed.read_bytes()
        sealed.write_bytes(data[:350] + bytes([data[350] ^ 1]) + data[351:])
    done = run("recover", folder, "--out", tmp_path / "new")
    is_advised = f"a broker opens the journal only without {META}" in done.output
    assert is_advised != is_sealed_damaged
    assert "refused" in zeebe.request("open", tmp_path / "new")
    answer = zeebe.request("no-meta", tmp_path / "new")
    assert sum(key.startswith("entry") for key in answer.get("items", ())) == 7 * is_advised
