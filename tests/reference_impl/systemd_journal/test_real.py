"""Real files and the real program, compared field by field."""

import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.kaitai.compile import compiled
from conformance.recipes.systemd_journal.log import KEY
from reference_impl.answer import collect
from reference_impl.systemd_journal import inspection, loaded, read
from reference_impl.systemd_journal.export_format import entry_body, parse_export

pytestmark = pytest.mark.slow

journalctl = pytest.mark.skipif(not shutil.which("journalctl"), reason="journalctl not found")


def shown_by_journalctl(path: Path) -> list[tuple[str, ...]]:
    command = ["journalctl", f"--file={path}", "-o", "export", "--all"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        entries = list(parse_export(running.stdout))
    return [
        (
            entry.address["__CURSOR"],
            entry.address["__REALTIME_TIMESTAMP"],
            entry.address["__MONOTONIC_TIMESTAMP"],
            entry_body(entry.payloads).hex(),
        )
        for entry in entries
    ]


def shown_by_us(path: Path) -> list[tuple[str, ...]]:
    answer = collect(read(path, "recover", {}))
    assert answer.verdict == "intact", answer.lost
    return [
        (
            record.fields["cursor"],
            record.fields["realtime"],
            record.fields["monotonic"],
            record.payload.hex(),
        )
        for record in answer.records
    ]


def test_real_files_are_intact_with_their_seals(real_file: Path) -> None:
    context = {"key": KEY} if "sealed" in real_file.name else {}
    with loaded(real_file) as data:
        inspected = inspection.inspect(data, context)
    assert inspected.faults == []
    assert len(inspected.entries) == (8 if "sealed" in real_file.name else 30)
    assert (inspected.sealed_until is not None) == ("sealed" in real_file.name)


@journalctl
def test_real_files_agree_with_journalctl(real_file: Path) -> None:
    assert shown_by_us(real_file) == shown_by_journalctl(real_file)


def test_the_grammar_finds_the_same_objects_in_real_files(real_file: Path) -> None:
    parsed = compiled("systemd_journal").SystemdJournal.from_file(str(real_file))
    with loaded(real_file) as data:
        kinds = inspection.inspect(data, {}).walk.kinds
    objects = [(number << 3, kind) for number, kind in enumerate(kinds) if kind]
    assert [(each.ofs_object, each.type.value) for each in parsed.objects] == objects


REMOTE = shutil.which("systemd-journal-remote", path="/lib/systemd:/usr/lib/systemd")


@pytest.mark.skipif(not REMOTE, reason="systemd-journal-remote not found")
@pytest.mark.parametrize("compact", ["0", "1"])
@pytest.mark.parametrize("keyed", ["0", "1"])
def test_written_objects_match_the_real_writer(tmp_path: Path, compact: str, keyed: str) -> None:
    """Byte for byte with the same ids and table sizes: header and objects, up to the tail."""
    stream = b"".join(
        b"__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%s\nMESSAGE=hello %d\n"
        b"PRIORITY=%d\nMULTI=a\nMULTI=a\n\n"
        % (1700000000000000 + n, n + 1, b"0" * 31 + b"1", n, n % 3)
        for n in range(60)
    )
    path = tmp_path / "real.journal"
    environment = {"SYSTEMD_JOURNAL_COMPACT": compact, "SYSTEMD_JOURNAL_KEYED_HASH": keyed}
    subprocess.run(
        [str(REMOTE), f"--output={path}", "--split-mode=none", "--compress=no", "-"],
        input=stream,
        env=environment,
        capture_output=True,
        check=True,
    )
    real = path.read_bytes()
    from reference_impl.systemd_journal.builder import Options, Writer
    from reference_impl.systemd_journal.layout import parse_header

    header = parse_header(real[:272])
    writer = Writer(
        Options(
            header_size=header.header_size,
            compact=header.compact,
            keyed=header.keyed,
            data_buckets=header.data_hash_table_size // 16,
            field_buckets=header.field_hash_table_size // 16,
            file_id=header.file_id,
            machine_id=header.machine_id,
            seqnum_id=header.seqnum_id,
        )
    )
    for n in range(60):
        fields = [
            b"_BOOT_ID=" + b"0" * 31 + b"1",
            b"MESSAGE=hello %d" % n,
            b"PRIORITY=%d" % (n % 3),
        ]
        fields += [b"MULTI=a", b"MULTI=a"]
        writer.append(fields, 1700000000000000 + n, n + 1, bytes(15) + b"\x01")
    ours = writer.finish()
    assert real[header.header_size : len(ours)] == ours[header.header_size :]
    made_header = parse_header(ours[:272])
    for name in vars(made_header):
        if name not in (
            "arena_size",
            "incompatible_flags",
            "tail_entry_boot_id",
            "compatible_flags",
        ):
            assert getattr(made_header, name) == getattr(header, name), name
