"""Adapter for the journal reader in dissect.target, a forensics framework.

``JournalFile`` returns a dictionary with the time and the fields of each entry. It converts field
names to lower case and removes leading underscores. The adapter overrides ``decode_value`` in a
subclass to keep the original names. It does not change the values.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dissect.target.plugins.os.unix.log import journal

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from conformance.adapterkit import Skipped, measure, record, serve

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NONCHARACTERS = "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
# A single-line value of the export format must not contain these characters. The surrogates, U+D800
# to U+DFFF, represent bytes that are not UTF-8.
NOT_A_LINE = re.compile(f"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{NONCHARACTERS}]")


class Log:
    """A substitute for a target's logger, which turns warnings into signals."""

    def __init__(self) -> None:
        self.signals: list[str] = []

    def warning(self, text: str, *values: object) -> None:
        """Add a warning about damage to the signals."""
        self.signals.append(text % values)

    def debug(self, *_: object, **__: object) -> None:
        """Ignore a message that only repeats a warning with its traceback."""


class Target:
    """A substitute for ``Target`` with the only attribute that ``JournalFile`` uses, the logger."""

    def __init__(self) -> None:
        self.log = Log()


class NamedJournalFile(journal.JournalFile):
    """A ``JournalFile`` that keeps the field names of the file."""

    def __init__(self, fh: Any, target: Target) -> None:
        super().__init__(fh, target)
        self.names: dict[str, str] = {}

    def decode_value(self, value: bytes) -> tuple[str, str]:
        """Return dissect.target's result for a payload, and store the original name."""
        key, text = super().decode_value(value)
        self.names[key] = value.partition(b"=")[0].decode("ascii", "replace").strip()
        return key, text


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the entries before the first exception, its text, and the logged warnings."""
    if (
        unsupported := {"match", "from_seqnum", "from_realtime", "max_field_size"}
        & request["context"].keys()
    ):
        raise Skipped(f"dissect.target has no {', '.join(sorted(unsupported))}")
    target = Target()
    answer: dict[str, Any] = {"records": [], "signals": target.log.signals}
    try:
        with path.open("rb") as file:
            opened = NamedJournalFile(file, target)
            answer["records"] += (entry(opened, event) for event in opened)
    except Exception as error:
        answer["signals"].append(f"{type(error).__name__}: {error}")
    return answer


def entry(opened: NamedJournalFile, event: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the fields in export format, in the order of the chapter."""
    fields = {
        (opened.names[key], value) for key, value in event.items() if key not in ("ts", "boot_id")
    }
    microseconds = (event["ts"] - EPOCH) // timedelta(microseconds=1)
    ordered = sorted(fields, key=lambda field: "=".join(field).encode(errors="surrogateescape"))
    payload = b"".join(exported(name, value) for name, value in ordered)
    return record(payload) | {"realtime": str(microseconds)}


def exported(name: str, value: str) -> bytes:
    """Return a field in systemd's export format."""
    content = value.encode(errors="surrogateescape")
    if NOT_A_LINE.search(value):
        return name.encode() + b"\n" + len(content).to_bytes(8, "little") + content + b"\n"
    return name.encode() + b"=" + content + b"\n"


def sizes(path: Path) -> tuple[int, int]:
    """Read all entries once for a measurement. Return their number and the size of their fields."""
    records = payload_bytes = 0
    with path.open("rb") as file:
        opened = NamedJournalFile(file, Target())
        for event in opened:
            records += 1
            payload_bytes += sum(
                len(opened.names[key]) + len(value) + 2
                for key, value in event.items()
                if key not in ("ts", "boot_id")
            )
    return records, payload_bytes


if __name__ == "__main__":
    if sys.argv[1:2] == ["bench"]:
        measure(int(sys.argv[3]), lambda: sizes(Path(sys.argv[2])))
        sys.exit()
    serve(
        {
            "name": "dissect-target",
            "version": importlib.metadata.version("dissect.target"),
            "formats": ["systemd-journal"],
            "profiles": ["recover"],
            "reports": ["records", "signals", "realtime"],
            "homepage": "https://github.com/fox-it/dissect.target",
            "issues": "https://github.com/fox-it/dissect.target/issues",
        },
        read,
    )
