"""A Zeebe partition: findings about its segments, its snapshots and its node state."""

from __future__ import annotations

import itertools
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from crc32c import crc32c

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.zeebe_journal.layout import SBE_HEADER
from reference_impl.zeebe_journal.meta import Meta, write_meta
from reference_impl.zeebe_journal.raft import encode_application, encode_initial
from reference_impl.zeebe_journal.writer import pack_descriptor
from tests.real_files import unpack_partition
from tests.walproof.real_systems import Driver, examined
from walproof.systems import recognise

NAME = "raft-partition-partition-1"
META, CONF, LOCK = f"{NAME}.meta", f"{NAME}.conf", f".{NAME}.lock"
JOURNAL = named("zeebe-journal")
#: A time in milliseconds whose lowest byte is a line feed.
UPDATED = 1_783_667_202_826


def partition(
    folder: Path,
    first: int = 1,
    records: int = 9,
    flushed: int | None = None,
    snapshot: int = 0,
    positions: str | None = None,
) -> Path:
    """Write the directory of a partition; the first entry has the index ``first``."""
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
    """Return the ``.conf`` file that a broker 8.3 writes."""
    result = b"".join(struct.pack("<BqI", 3, UPDATED, len(member)) + member for member in members)
    block = struct.pack("<QQQ", 0, 0, UPDATED)
    groups = struct.pack("<HB", 9, len(members)) + result + struct.pack("<HB", 9, 0)
    return b"\1" + SBE_HEADER.pack(len(block), 5, 8, 2) + block + groups


def write_checksums(snapshot: Path) -> None:
    files = [(path.name, path.read_bytes()) for path in sorted(snapshot.iterdir())]
    lines = [f"{name}   {crc32c(data):x}\n" for name, data in files]
    snapshot.with_name(f"{snapshot.name}.checksum").write_text("; an SFV file\n" + "".join(lines))


def lost(folder: Path) -> list[str | None]:
    return [finding.file for finding in examined(folder).findings if finding.harm == "lost"]


def snapshot_of(folder: Path) -> Path:
    (created,) = (path for path in (folder / "snapshots").iterdir() if path.is_dir())
    return created


#: Damage to small files that the recovery test does not contain.
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "zeros of a new file": lambda data: bytes(32),
    "cut in the header": lambda data: data[:5],
    "cut after the header": lambda data: data[:9],
    "cut at the end": lambda data: data[:-1],
    "tail of zeros": lambda data: data[:1] + bytes(len(data) - 1),
    "tail of zeros after the header": lambda data: data[:9] + bytes(len(data) - 9),
    "one bit of the header": lambda data: data[:3] + bytes([data[3] ^ 16]) + data[4:],
}


def a_node(folder: Path) -> Path:
    created = partition(folder, flushed=9)
    (created / META).write_bytes(write_meta(Meta(10, 9, None, b"0"), version=2))
    (created / CONF).write_bytes(configuration(b"0"))
    return created


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("file", [META, CONF])
def test_damage_of_a_small_file(
    file: str, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    folder = a_node(tmp_path / "1")
    (folder / file).write_bytes(change((folder / file).read_bytes()))
    assert set(lost(folder)) == {file}


def test_a_member_of_an_unknown_type(tmp_path: Path) -> None:
    folder = a_node(tmp_path / "1")
    data = configuration(b"0")
    at = data.index(struct.pack("<BqI", 3, UPDATED, 1))
    (folder / CONF).write_bytes(data[:at] + b"\x07" + data[at + 1 :])
    assert lost(folder) == [CONF]


def test_the_numbers_of_a_truncated_meta_are_used(tmp_path: Path) -> None:
    """A broker reads a truncated ``.meta`` as if zeros followed."""
    folder = partition(tmp_path / "1", flushed=12)
    (folder / META).write_bytes((folder / META).read_bytes()[:100])
    texts = [each.text for each in examined(folder).findings if each.harm == "lost"]
    assert texts[0].startswith("expected 256 bytes, found 100")
    assert texts[1].startswith("expected entries up to 12")


@pytest.mark.parametrize("content", [b"", b"\0", b"some text\n", b"0\n", b" ", b"8"])
def test_a_broker_starts_after_a_damaged_lock_is_deleted(
    content: bytes, tmp_path: Path, zeebe: Driver
) -> None:
    folder = a_node(tmp_path / "1")
    assert not lost(folder)
    (folder / LOCK).write_bytes(content)
    assert lost(folder) == [LOCK]
    assert "refused" in zeebe.request("open", folder)
    (folder / LOCK).unlink()
    assert "items" in zeebe.request("open", folder)


@pytest.mark.parametrize("content", [b"", bytes(32)])
def test_the_files_of_a_new_node(content: bytes, tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", records=0)
    (folder / META).write_bytes(content)
    (folder / CONF).write_bytes(content)
    assert not [each for each in examined(folder).findings if each.harm != "none"]


# Tests with the partitions of real brokers.


@pytest.mark.parametrize("version", ["v8.1", "v8.3", "v8.8"])
def test_a_real_partition_has_no_findings(version: str, tmp_path: Path, run) -> None:
    folder = unpack_partition(version, tmp_path / "1")
    assert not examined(folder).findings
    assert run(folder).return_value == 0


# Tests of snapshots.


@pytest.mark.parametrize(
    ("change", "about"),
    [
        (lambda created: (created / "CURRENT").write_bytes(b""), "/CURRENT"),
        (lambda created: (created / "CURRENT").write_bytes(b"MANIFEST-000006\n"), "/CURRENT"),
        (lambda created: (created / "CURRENT").unlink(), "/CURRENT"),
        (lambda created: (created / "more").write_bytes(b"1"), "/more"),
        (
            lambda created: created.with_name(f"{created.name}.checksum").write_bytes(b"text\n"),
            ".checksum",
        ),
    ],
)
def test_damage_of_a_snapshot(change: Callable[[Path], None], about: str, tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    created = snapshot_of(folder)
    change(created)
    assert lost(folder) == [f"snapshots/{created.name}{about}"]
    assert examined(folder).facts["snapshot"] == 0


@pytest.mark.parametrize(
    "change", [lambda data: data.replace(b"\n", b"\r\n"), lambda data: b"\1\2\3\4\5\6\7\0"]
)
def test_checksums_with_crlf_and_those_of_older_brokers(
    change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    (checksums,) = (folder / "snapshots").glob("*.checksum")
    checksums.write_bytes(change(checksums.read_bytes()))
    assert not lost(folder)


def test_a_snapshot_without_checksums_is_ignored(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", first=4, snapshot=3)
    for file in (folder / "snapshots").glob("*.checksum"):
        file.unlink()
    system = examined(folder)
    assert system.facts["snapshot"] == 0
    (finding,) = (each for each in system.findings if each.harm == "look")
    assert "a broker deletes this snapshot as unfinished" in finding.text


def test_a_damaged_snapshot_leaves_a_gap(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", first=4, snapshot=3, flushed=12)
    assert not lost(folder)
    (snapshot_of(folder) / "CURRENT").unlink()
    texts = [each.text for each in examined(folder).findings if each.harm == "lost"]
    assert any("a broker does not use this snapshot" in text for text in texts)
    assert any("Entries 1 to 3 are neither" in text for text in texts)


@pytest.mark.parametrize(
    ("snapshot", "positions", "harm"),
    [
        (3, "9-9", None),
        (3, "4659997-4659998", "lost"),
        (3, "4659997-9223372036854775807", "lost"),
        (3, "4659997-8", "look"),
        (3, "4659997-0", "look"),
        (9, "4659997-4659998", None),  # a follower without later entries
    ],
)
def test_a_snapshot_of_positions_beyond_the_journal(
    snapshot: int, positions: str, harm: str | None, tmp_path: Path
) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=snapshot, positions=positions)
    results = [each for each in examined(folder).findings if each.harm != "none"]
    assert [each.harm for each in results] == ([harm] if harm else [])
    assert all("expected position 4659997" in each.text for each in results)


@pytest.mark.parametrize("position", [46, 47])
def test_positions_before_entries_without_positions(position: int, tmp_path: Path) -> None:
    new = [
        NewRecord(encode_application(1, 1, 46, b"x", 2), {"asqn": "1", "index": "1"}),
        NewRecord(encode_initial(2, 2), {"asqn": "-1", "index": "2"}),
    ]
    folder = partition(tmp_path / "1", 1, 0, 2, snapshot=1, positions=f"{position}-{position}")
    for path in folder.glob("*.log"):
        path.unlink()
    JOURNAL.write(tmp_path / "2", new, {"name": NAME, "max_segment_size": 200})
    for path in (tmp_path / "2").iterdir():
        path.rename(folder / path.name)
    is_found = any("up to 46 in entry 2" in each.text for each in examined(folder).findings)
    assert is_found == (position > 46)


# Tests of segments.


@pytest.mark.parametrize(("zeros", "found"), [(0, "an empty file"), (700, "700 zeros")])
def test_an_empty_first_segment_is_not_a_complete_log(
    zeros: int, found: str, tmp_path: Path, run
) -> None:
    folder = partition(tmp_path / "1", records=1)
    segment = folder / f"{NAME}-1.log"
    segment.write_bytes(bytes(zeros))
    text = f"at 0, found {found}: the entries of this segment are lost"
    for words in itertools.product([(), ("read",), ("verify",)], [folder, segment]):
        done = run(*words[0], words[1])
        assert done.return_value == 3
        assert text in " ".join(done.output.split())
        assert "Safe to append" not in done.output


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("kind", ["text", "cut", "bit", "zeros before entries"])
def test_a_damaged_descriptor(kind: str, number: int, tmp_path: Path) -> None:
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


def test_a_segment_truncated_after_its_entries(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9)
    path = folder / f"{NAME}-3.log"
    path.write_bytes(path.read_bytes()[:690])
    assert [each.file for each in examined(folder).findings if each.harm == "look"] == [path.name]


def test_a_missing_segment(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1")
    (folder / f"{NAME}-3.log").unlink()
    texts = [each.text for each in examined(folder).findings if each.harm == "lost"]
    assert texts == ["expected segment 3, found only later ones: entries are lost"]


def test_a_partition_without_segments(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    for path in folder.glob("*.log"):
        path.unlink()
    assert lost(folder) == [None, META]
    (folder / LOCK).unlink()
    shutil.copytree(folder / "snapshots", tmp_path / "2" / "snapshots")
    assert lost(tmp_path / "2") == [None]
    shutil.rmtree(folder / "snapshots")
    assert lost(folder) == [META]
    (folder / META).write_bytes(bytes(32))
    assert not lost(folder)


@pytest.mark.parametrize(
    ("snapshot", "text"),
    [
        (0, "take the rest from another node; a broker does not open this journal"),
        (12, "a snapshot has the rest, but a broker does not open this journal"),
    ],
)
def test_lost_flushed_entries(snapshot: int, text: str, tmp_path: Path, zeebe: Driver) -> None:
    folder = partition(tmp_path / "1", flushed=12, snapshot=snapshot)
    (finding,) = (each for each in examined(folder).findings if each.harm == "lost")
    start = "expected entries up to 12, which it counts as flushed, found entries up to 9: "
    assert finding.text == start + text
    assert "CorruptedJournalException" in zeebe.request("open", folder)["refused"]


@pytest.mark.parametrize(
    ("first", "records", "snapshot", "is_gap"),
    [(4, 9, 3, False), (4, 9, 5, False), (6, 9, 3, True), (6, 0, 3, True)],
)
def test_a_gap_between_snapshot_and_journal(
    first: int, records: int, snapshot: int, is_gap: bool, tmp_path: Path
) -> None:
    folder = partition(tmp_path / "1", first, records, snapshot=snapshot)
    if not records:
        (folder / f"{NAME}-1.log").write_bytes(pack_descriptor(1, first, 700).ljust(700, b"\0"))
    texts = [each.text for each in examined(folder).findings if each.harm == "lost"]
    text = "expected entry 4, found a journal that begins with 6: the node does not start"
    assert [each.startswith(text) for each in texts] == [True] * is_gap


# Tests of other files in the directory.


@pytest.mark.parametrize("name", ["snapshots/2024-01-02-0300/file", "partition-1.conf"])
def test_files_of_other_programs_are_not_a_partition(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"text\n")
    assert recognise(tmp_path) is None


def test_the_log_has_only_the_segments_of_its_journal(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", flushed=9)
    for name in ("other-1.log", f"{NAME}0-1.log", f"{NAME}-02.log", f"{NAME}-2.log_0-deleted"):
        shutil.copy(folder / f"{NAME}-2.log", folder / name)
    system = examined(folder)
    assert system.folder_type.log_files(system) == [
        f"{NAME}-{number}.log" for number in range(1, 5)
    ]
    roles = {other.name: other.role for other in system.others}
    assert roles["other-1.log"] == "segment of another journal, other; not read"
    assert roles[f"{NAME}-2.log_0-deleted"].startswith("segment deleted by a broker")


# Tests of recovery.


@pytest.mark.parametrize("is_sealed_damaged", [False, True])
def test_a_broker_reads_the_recovered_journal_without_meta_if_recover_says_so(
    is_sealed_damaged: bool, tmp_path: Path, run, zeebe: Driver
) -> None:
    """Test the advice of ``recover`` for two journals.

    A broker reads the recovered journal without ``.meta``. A journal with a damaged sealed segment
    is copied unchanged, and no broker reads it.
    """
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
