"""The files of writing vectors, read by every available journalctl."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance import BUILD, ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from reference_impl.systemd_journal.export_format import entry_body, parse_export

pytestmark = pytest.mark.slow

FOLDER = ROOT / "vectors" / "systemd-journal"
UNKNOWN = b"Cannot verify file with unknown extensions."


def releases() -> list[list[str]]:
    """Return the installed release, and the downloaded ones with their own loaders."""
    commands = [["journalctl"]] if shutil.which("journalctl") else []
    for root in sorted(BUILD.glob("implementations/systemd*/root")):
        for loader in root.glob("usr/lib/*/ld-linux*.so.*"):
            libraries = f"{loader.parent}:{loader.parent / 'systemd'}"
            commands.append(
                [str(loader), "--library-path", libraries, f"{root}/usr/bin/journalctl"]
            )
    return commands


def written() -> list[tuple[Path, dict[str, object]]]:
    bodies = ((p, json.loads(p.read_text())) for p in sorted(FOLDER.glob("*.json")))
    return [
        (p.with_suffix(".journal"), body)
        for p, body in bodies
        if body["operation"] == "write" and not body.get("must_refuse")
    ]


def name_of(value: object) -> str:
    if isinstance(value, tuple):
        return str(value[0].stem)
    assert isinstance(value, list)
    return value[-1].split("/root/")[0].rpartition("/")[2]


@pytest.mark.parametrize("command", releases() or [None], ids=name_of if releases() else str)
@pytest.mark.parametrize("vector", written(), ids=name_of)
def test_written_files_verify_and_export_unchanged(
    vector: tuple[Path, dict[str, object]], command: list[str] | None, tmp_path: Path
) -> None:
    if command is None:
        pytest.skip("journalctl not found")
    body = vector[1]
    records = body["records"]
    context = body["context"]
    assert isinstance(records, list) and isinstance(context, dict)
    path = tmp_path / "written.journal"
    new = [NewRecord(bytes.fromhex(each["payload"]), each) for each in records]
    named("systemd-journal").write(path, new, context)
    key = [f"--verify-key={context['key']}"] if "key" in context else []
    checked = subprocess.run([*command, f"--file={path}", "--verify", *key], capture_output=True)
    if UNKNOWN not in checked.stderr:  # 252 refuses headers of 254 and later
        assert checked.returncode == 0, checked.stderr[-500:]
    shown = ["-o", "export", "--all"]
    with subprocess.Popen([*command, f"--file={path}", *shown], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        exported = list(parse_export(running.stdout))
    assert [entry_body(entry.payloads) for entry in exported] == [each.payload for each in new]
    assert [entry.address["__REALTIME_TIMESTAMP"] for entry in exported] == [
        each["realtime"] for each in records
    ]
