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
