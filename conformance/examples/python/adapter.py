"""A complete Walproof adapter: skeletons/python/adapter.py with a reader and a writer.

walproof check --cmd 'python3 adapter.py' --format leveldb-log

By hand: python3 adapter.py read leveldb-log FILE [strict]
"""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HELLO = {
    "name": "example-python",
    "version": "1.0.0",
    "language": "Python",
    "formats": ["leveldb-log"],
    "profiles": ["recover", "strict", "write", "append"],
    "reports": ["records", "at", "size", "verdict", "reason", "end", "lost"],
}


def read(format: str, path: Path, profile: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the reader's answer."""
    return {"answer": Reader(path.read_bytes()).answer(profile)}


def write(
    cmd: str, format: str, path: Path, records: list[dict[str, Any]], context: dict[str, Any]
) -> dict[str, Any]:
    """Create a log at path, or append to the end of an existing log."""
    with path.open("xb" if cmd == "write" else "r+b") as log:
        if cmd == "append":
            before = Reader(log.read()).answer("recover")
            if before["end"] is None:
                return {"refused": f"start a new file: {before['reason']}"}
            if not records:
                return {"done": True}  # leave the log unchanged
            log.truncate(before["end"])
            log.seek(before["end"])
        for record in records:
            log.write(framed(bytes.fromhex(record["payload"]), log.tell()))
    return {"done": True}


BLOCK, HEADER = 32768, 7
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


@dataclass
class Fragments:
    """A record with a FIRST fragment and no LAST fragment yet."""

    at: int
    end: int
    data: bytearray


class Reader:
    """Reads a log as spec/leveldb-log.md requires."""

    def __init__(self, log: bytes) -> None:
        self.log = log
        self.records: list[dict[str, Any]] = []
        self.lost: list[dict[str, Any]] = []
        self.open: Fragments | None = None
        self.zeros_from: int | None = None
        self.torn: dict[str, Any] | None = None
        # The first damage, with the number of records before it.
        self.first: dict[str, Any] | None = None
        self.in_step = True

    def answer(self, profile: str) -> dict[str, Any]:
        """Return the answer. With "strict", the records end at the first damage."""
        if foreign_dialect(self.log):
            return answer_of("refused", "foreign-dialect", [], [], None)
        for base in range(0, len(self.log), BLOCK):
            self.block(base)
        if self.open:
            self.tear(self.open.at, self.open.end, "torn-record")
        end = len(self.log) if self.zeros_from is None else self.zeros_from
        if self.torn:
            end = self.torn["from"]
            self.lost.append(self.torn)
        if self.first is None:
            verdict, code = ("torn", self.torn["reason"]) if self.torn else ("intact", None)
            return answer_of(verdict, code, self.records, self.lost, end)
        reason = self.first["reason"]
        if profile == "strict":
            rest = {"from": self.first["from"], "to": len(self.log), "reason": reason}
            return answer_of("damaged", reason, self.records[: self.first["records"]], [rest], None)
        lost = sorted(self.lost, key=lambda each: each["from"])
        return answer_of("damaged", reason, self.records, lost, end if self.in_step else None)

    def block(self, base: int) -> None:
        """Read the physical records of one block."""
        end = min(base + BLOCK, len(self.log))
        if self.zeros_from is not None and not self.is_zero(base, end):
            self.lose(self.zeros_from, base, "zero-gap")
            self.lose_open()
            self.zeros_from = None
        at = base
        while at < end and base + BLOCK - at >= HEADER:  # the rest is the trailer
            if end - at < HEADER and not self.is_zero(at, end):
                return self.tear(at, end, "torn-header")
            if end - at < HEADER or (
                self.log[at + 4 : at + 7] == bytes(3) and self.is_zero(at, end)
            ):
                self.zeros_from = at if self.zeros_from is None else self.zeros_from
                return None
            checksum, length, type = struct.unpack_from("<IHB", self.log, at)
            after = at + HEADER + length
            if after > base + BLOCK:
                return self.lose_rest(at, end, "bad-length")
            if after > end:
                return self.tear(at, end, "torn-payload")
            if type == 0 and length == 0:
                return self.lose_rest(at, end, "zero-header")
            if masked_crc(self.log[at + 6 : after]) != checksum:
                return self.lose_rest(at, end, "checksum-mismatch")
            self.fragment(type, self.log[at + HEADER : after], at, after)
            at = after
        return None

    def fragment(self, type: int, data: bytes, at: int, end: int) -> None:
        """Add a physical record whose checksum matches."""
        if type in (FULL, FIRST):
            if self.open and self.open.data:
                self.lose_open()
            self.open = Fragments(at, end, bytearray(data))
        elif type not in (MIDDLE, LAST):
            self.lose(at, end, "unknown-type")
            self.lose_open()
            return
        elif self.open is None:
            self.lose(at, end, "orphan-fragment")
            return
        else:
            self.open.end = end
            self.open.data += data
        if type in (FULL, LAST):
            whole, self.open = self.open, None
            size = whole.end - whole.at
            self.records.append({"at": whole.at, "size": size, "payload": whole.data.hex()})

    def lose(self, start: int, end: int, reason: str) -> None:
        """Report a range that may have contained a record."""
        if self.first is None:
            before = min(start, self.open.at) if self.open else start
            self.first = {"from": before, "reason": reason, "records": len(self.records)}
        self.lost.append({"from": start, "to": end, "reason": reason})

    def lose_open(self) -> None:
        """Report the fragments of an incomplete record."""
        if self.open:
            self.lose(self.open.at, self.open.end, "incomplete-record")
            self.open = None

    def lose_rest(self, at: int, end: int, reason: str) -> None:
        """Report the rest of a block, because its lengths cannot be trusted."""
        self.lose(at, end, reason)
        self.lose_open()
        self.in_step = end % BLOCK == 0

    def tear(self, at: int, end: int, reason: str) -> None:
        """Store an unfinished write. If a record is open, the write began at its FIRST fragment."""
        self.torn = {"from": self.open.at if self.open else at, "to": end, "reason": reason}
        self.open = None

    def is_zero(self, start: int, end: int) -> bool:
        """Return whether a range contains only zeros."""
        return self.log.count(0, start, end) == end - start


def answer_of(
    verdict: str,
    reason: str | None,
    records: list[dict[str, Any]],
    lost: list[dict[str, Any]],
    end: int | None,
) -> dict[str, Any]:
    """Return the parts of an answer under their names."""
    parts = {"verdict": verdict, "reason": reason, "end": end}
    return {"records": records, "lost": lost, **parts}


def foreign_dialect(log: bytes) -> bool:
    """Return whether the first physical record is of another dialect (LDB-043)."""
    if len(log) < HEADER:
        return False
    checksum, length, type = struct.unpack_from("<IHB", log)
    sizes = []  # header sizes of the other dialects that have this type
    if type in (5, 6, 7, 8, 11, 131):
        sizes.append(11)
    if type in (9, 10, 11, 12):
        sizes.append(19)
    if (type, length) in ((9, 4), (130, 24)) or (type == 10 and length and length % 6 == 0):
        sizes.append(HEADER)
    ends = [size + length for size in sizes if size + length <= min(BLOCK, len(log))]
    return any(masked_crc(log[6:end]) == checksum for end in ends)


def framed(payload: bytes, position: int) -> bytes:
    """Return the bytes of a record that a writer appends at a position."""
    out, rest, begin = b"", payload, True
    while True:
        left = BLOCK - (position + len(out)) % BLOCK
        if left < HEADER:
            out, left = out + bytes(left), BLOCK
        data, rest = rest[: left - HEADER], rest[left - HEADER :]
        type = (FIRST if begin else MIDDLE) if rest else (FULL if begin else LAST)
        covered = bytes([type]) + data
        out += struct.pack("<IH", masked_crc(covered), len(data)) + covered
        begin = False
        if not rest:
            return out


def table_entry(crc: int) -> int:
    """Return the table entry for one byte: its CRC without inversion."""
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


TABLE = [table_entry(byte) for byte in range(256)]


def masked_crc(data: bytes) -> int:
    """Return the masked CRC-32C (LDB-007)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


# ---- The protocol. Do not change anything below. ----


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Carry out a request that names a log."""
    format, path, context = request["format"], Path(request["path"]), request["context"]
    if request["cmd"] != "write" and not path.exists():
        return {"skipped": "nothing is at this path"}
    if request["cmd"] == "read":
        return read(format, path, request["profile"], context)
    return write(request["cmd"], format, path, request["records"], context)


def main() -> None:
    """Serve the harness, or run the one-shot form: read FORMAT PATH [PROFILE]."""
    if sys.argv[1:2] == ["read"]:
        parts = dict(zip(("format", "path", "profile"), [*sys.argv[2:], "recover"], strict=False))
        result = answer({"cmd": "read", "context": {}, **parts})
        print(json.dumps(result.get("answer", result)))
        return
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        hello = request["cmd"] == "hello"
        reply = HELLO if hello else {"seq": request["seq"], **answer(request)}
        print(json.dumps(reply), flush=True)  # the harness waits for the reply


if __name__ == "__main__":
    main()
