"""Adapter for systemd's own journal reader, verifier and writer."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from conformance.adapterkit import Refused, Skipped, payloads, serve

ENVIRONMENT = os.environ | {"SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "", "LC_ALL": "C.UTF-8"}
# fetch.sh unpacks programs into this directory. If it does not exist, the installed programs run.
ROOT = Path(os.environ.get("SYSTEMD_ROOT", "/nothing"))
MACHINE_ID = slice(40, 56)
SEALED = 1
NOT_A_COMPLAINT = re.compile(
    r"verification key has not been passed|Required key not available"
    r"|^PASS:|^=>|^-- |^$|^[0-9a-f]{6}: Unused data|sealed with an old"
)
TO_ONE_FILE = ("--split-mode=none",)
# For each of these context keys, the adapter sets an environment variable of systemd.
SETTINGS = {
    "compact": "SYSTEMD_JOURNAL_COMPACT",
    "keyed": "SYSTEMD_JOURNAL_KEYED_HASH",
    "compression": "SYSTEMD_JOURNAL_COMPRESS",
}
# Context keys that the adapter ignores, because systemd chooses these sizes and no record depends
# on them.
SIZES_OF_TABLES = {"header_size", "data_buckets", "field_buckets"}
TAKES_A_COMPRESSION = 253
CANNOT_VERIFY = b"Cannot verify file with unknown extensions."


def unpacked(program: str) -> list[str]:
    """Return the command that runs a program with the loader and the libraries in :data:`ROOT`."""
    (loader,) = ROOT.glob("usr/lib/*/ld-linux*.so.*")
    libraries = f"{loader.parent}:{loader.parent / 'systemd'}"
    return [str(loader), "--library-path", libraries, str(ROOT / program)]


if ROOT.is_dir():
    JOURNALCTL = unpacked("usr/bin/journalctl")
    REMOTE = unpacked("usr/lib/systemd/systemd-journal-remote")
else:
    JOURNALCTL = ["journalctl"]
    remote = shutil.which("systemd-journal-remote", path="/lib/systemd:/usr/lib/systemd")
    REMOTE = [remote] if remote else []


def run(
    *command: str, stdin: bytes | None = None, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a program with ``more`` in its environment. If a signal ends it, the adapter aborts."""
    environment = ENVIRONMENT | more
    done = subprocess.run(command, input=stdin, capture_output=True, env=environment)
    if done.returncode < 0:
        sys.stderr.buffer.write(done.stderr[-2000:])
        sys.stderr.flush()
        os.abort()
    return done


def complaints(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    """Return a program's messages about damage."""
    if CANNOT_VERIFY in done.stderr:
        return []
    # The progress bar of --verify ends with a carriage return, not a newline.
    lines = re.split(r"[\r\n]", done.stderr.decode(errors="replace"))
    return [line for line in lines if not NOT_A_COMPLAINT.search(line)]


def entries(export: bytes) -> Iterator[dict[str, Any]]:
    """Yield the records of an export stream."""
    at, fields = 0, []
    while at < len(export):
        line_end = export.index(b"\n", at)
        line = export[at:line_end]
        at = line_end + 1
        if not line:
            yield record(fields)
            fields = []
        elif b"=" in line:
            fields.append((line.split(b"=", 1)[0], line.split(b"=", 1)[1], line + b"\n"))
        else:
            size = int.from_bytes(export[at : at + 8], "little")
            end = at + 8 + size
            fields.append((line, export[at + 8 : end], line + b"\n" + export[at : end + 1]))
            at = end + 1


def record(fields: list[tuple[bytes, bytes, bytes]]) -> dict[str, Any]:
    """Return one record. Its payload has each field once, sorted by ``NAME=value``."""
    known = {name: value.decode(errors="replace") for name, value, _ in fields}
    payloads_by_field = {
        name + b"=" + value: encoded
        for name, value, encoded in fields
        if not name.startswith(b"__") and name != b"_BOOT_ID"
    }
    cursor = known[b"__CURSOR"]
    numbers = dict(part.split("=") for part in cursor.split(";"))
    return {
        "payload": b"".join(payloads_by_field[field] for field in sorted(payloads_by_field)).hex(),
        "seqnum": str(int(numbers["i"], 16)),
        "realtime": known[b"__REALTIME_TIMESTAMP"],
        "monotonic": known[b"__MONOTONIC_TIMESTAMP"],
        "boot_id": known[b"_BOOT_ID"],
        "cursor": cursor,
    }


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the exported records, and what the export and ``--verify`` report about damage."""
    context = request["context"]
    if "from_seqnum" in context:
        raise Skipped("journalctl cannot seek by sequence number")
    if "max_field_size" in context:
        raise Skipped("journalctl has no limit for the size of a field")
    arguments = ["-o", "export", "--all"]
    if "from_realtime" in context:
        seconds, rest = divmod(int(context["from_realtime"]), 1_000_000)
        if rest:
            raise Skipped("--since accepts only whole seconds")
        arguments.append(f"--since=@{seconds}")
    if "match" in context:
        match = context["match"]
        arguments += [match] if isinstance(match, str) else match
    shown = run(*JOURNALCTL, f"--file={path}", *arguments)
    key = [f"--verify-key={context['key']}"] if "key" in context else []
    checked = run(*JOURNALCTL, f"--file={path}", "--verify", *key)
    return {
        "records": list(entries(shown.stdout)),
        "signals": complaints(shown) + complaints(checked),
    }


def stream(request: dict[str, Any]) -> bytes:
    """Return the records to write, in export format."""
    return b"".join(
        f"__REALTIME_TIMESTAMP={record['realtime']}\n__MONOTONIC_TIMESTAMP={record['monotonic']}\n"
        f"_BOOT_ID={record['boot_id']}\n".encode()
        + payload
        + b"\n"
        for record, payload in zip(request["records"], payloads(request), strict=True)
    )


def write(path: Path, request: dict[str, Any]) -> None:
    """Write a new file. The options come from environment variables of the program."""
    if not REMOTE:
        raise Skipped("systemd-journal-remote is not installed (package systemd-journal-remote)")
    context = request["context"]
    if unsupported := context.keys() - SETTINGS.keys() - SIZES_OF_TABLES:
        raise Skipped(f"systemd itself chooses {', '.join(sorted(unsupported))}")
    if "compression" in context and int(version().split()[0]) < TAKES_A_COMPRESSION:
        raise Skipped("this release compresses only with its built-in algorithm")
    settings = {name: str(context[key]) for key, name in SETTINGS.items() if key in context}
    if "acknowledged" in request:
        one_by_one(path, request, settings)
    else:
        feed(path, request, settings)


def feed(path: Path, request: dict[str, Any], settings: dict[str, str]) -> None:
    """Write all records to a new or existing file with systemd-journal-remote."""
    done = run(*REMOTE, *TO_ONE_FILE, f"--output={path}", "-", stdin=stream(request), **settings)
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace").strip()[-200:])


def one_by_one(path: Path, request: dict[str, Any], settings: dict[str, str]) -> None:
    """Write each record with a separate run: systemd syncs and closes the file before it exits."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as small:
        # systemd 262 and later read this file, and then create small tables and files of 512 KiB.
        small.write("[Remote]\nMaxFileSize=512K\n")
        small.flush()
        settings = {**settings, "SYSTEMD_JOURNAL_REMOTE_CONFIG_FILE": small.name}
        for count, record in enumerate(request["records"], 1):
            feed(path, {**request, "records": [record]}, settings)
            request["acknowledged"](count)


def append(path: Path, request: dict[str, Any]) -> None:
    """Open the file as systemd-journal-remote does after a restart, and write to it.

    If the program cannot continue a file, it renames the file to NAME@TIME-RANDOM.journal~ and
    creates a new file. The adapter then reports a refusal, and restores the name of the old file
    but not its contents.
    """
    if not REMOTE:
        raise Skipped("systemd-journal-remote is not installed (package systemd-journal-remote)")
    if {"threshold", "max_field_size"} & request["context"].keys():
        raise Skipped("systemd-journal-remote has no options for threshold and field limit")
    if "key" in request["context"] and path.read_bytes()[8] & SEALED:
        raise Skipped("systemd seals only with its stored key")
    if "acknowledged" in request:
        one_by_one(path, request, {})
        return
    own_id = bytes.fromhex(Path("/etc/machine-id").read_text().strip())
    foreign = exchange_machine_id(path, own_id)
    before = set(path.parent.iterdir())
    done = run(*REMOTE, *TO_ONE_FILE, f"--output={path}", "-", stdin=stream(request))
    for renamed in set(path.parent.iterdir()) - before:
        renamed.replace(path)
        exchange_machine_id(path, foreign)
        raise Refused("the old file was renamed and a new one begun")
    exchange_machine_id(path, foreign)
    if done.returncode:
        raise Refused(done.stderr.decode(errors="replace").strip()[-200:])


def exchange_machine_id(path: Path, machine_id: bytes) -> bytes:
    """Set the machine id, since systemd continues only its own files. Return the old id."""
    data = bytearray(path.read_bytes())
    old = bytes(data[MACHINE_ID])
    data[MACHINE_ID] = machine_id[: len(old)]
    path.write_bytes(data)
    return old


def bench(path: Path, repeat: int) -> None:
    """Export a file ``repeat`` times and print the times of journalctl, for ``make bench``."""
    seconds, shown = [], b""
    for _ in range(repeat):
        began = time.perf_counter()
        shown = run(*JOURNALCTL, f"--file={path}", "-o", "export", "--all").stdout
        seconds.append(time.perf_counter() - began)
    sizes = [len(entry["payload"]) // 2 for entry in entries(shown)]
    measurement = {"records": len(sizes), "payload_bytes": sum(sizes), "all_seconds": seconds}
    print(json.dumps(measurement))


def version() -> str:
    """Return the version, such as ``252 (252.39-1~deb12u2)``."""
    line = run(*JOURNALCTL, "--version").stdout.decode().splitlines()[0]
    return line.removeprefix("systemd ")


if __name__ == "__main__":
    if sys.argv[1:2] == ["bench"]:
        bench(Path(sys.argv[2]), int(sys.argv[3]))
        sys.exit()
    serve(
        {
            "name": "systemd",
            "version": version(),
            "language": "C",
            "formats": ["systemd-journal"],
            "profiles": ["recover", "append"],
            "also_writes": True,
            "acknowledges": True,
            "reports": [
                "records",
                "signals",
                "seqnum",
                "realtime",
                "monotonic",
                "boot_id",
                "cursor",
            ],
            "homepage": "https://github.com/systemd/systemd",
            "issues": "https://github.com/systemd/systemd/issues",
        },
        read,
        write,
        append,
    )
