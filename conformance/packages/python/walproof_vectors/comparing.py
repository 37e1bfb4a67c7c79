"""What is right: the rules of RUNNERS.md, on answers as dictionaries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

INLINE = 4096
"""Bytes; of a longer payload there is the SHA-256."""
PARTS = ("end", "lost", "reason", "records", "signals", "verdict")
Json = dict


def below(folder: Path) -> dict[str, int]:
    """Sizes of what is below a folder and no folder itself."""
    found = (one for one in folder.rglob("*") if one.is_symlink() or not one.is_dir())
    return {one.relative_to(folder).as_posix(): one.lstat().st_size for one in found}


def to_write(body: Mapping[str, Any]) -> list[Json]:
    """The records to write or append, with their payloads in bytes."""
    found = []
    for one in body.get("records", []):
        fields = {name: one[name] for name in one if name != "payload"}
        text = one["payload"] if "payload" in one else fields.pop("fill") * fields.pop("size")
        found.append({**fields, "payload": bytes.fromhex(text)})
    return found


def prefixes(body: Mapping[str, Any]) -> list:
    """What a vector of truncations asks: lengths of prefixes, each with its answer."""
    found = []
    for row in body["table"]:
        for length in sorted({row["from"], row["to"]}):
            end = length if row["end"] == "length" else row["end"]
            lost = [{"from": end, "to": length, "reason": row["reason"]}]
            answer = {
                **{name: row[name] for name in ("verdict", "reason")},
                "records": body["expect"]["records"][: row["records"]],
                "lost": lost if row["verdict"] == "torn" else [],
                "end": end,
            }
            found.append((length, answer))
    return found


def normalised(answer: Mapping[str, Any]) -> Json:
    """An answer as vectors have it: payloads in hexadecimal, or the SHA-256 of long ones."""
    records = []
    for one in answer["records"]:
        data = bytes(one["payload"])
        shown = {"payload": data.hex()}
        if len(data) > INLINE:
            shown = {"payload_sha256": hashlib.sha256(data).hexdigest()}
        records.append({**{name: one[name] for name in one if name != "payload"}, **shown})
    return {**answer, "records": records}


def differences(expected: Json, actual: Json, reports: Sequence[str]) -> list[str]:
    """What differs in the parts that are reported, one short sentence a part."""
    wrong = []
    if "records" in reports:
        fields = [one for one in reports if one not in PARTS]
        wrong += _record_differences(expected["records"], actual["records"], fields)
    for part in ("verdict", "reason", "end"):
        if part in reports and actual.get(part) != expected[part]:
            wrong.append(f"{part}: expected {expected[part]}, found {actual.get(part)}")
    if "lost" in reports:
        owed, found = (
            _ranges(one.get("lost") or [], "reason" in reports) for one in (expected, actual)
        )
        if owed != found:
            wrong.append(f"lost: expected {owed}, found {found}")
    if "signals" in reports:
        verdict, signals = expected["verdict"], actual.get("signals")
        if verdict == "intact" and signals:
            wrong.append(f"signals: expected none for an intact log, found {signals}")
        if verdict in ("damaged", "refused") and not signals:
            wrong.append(f"signals: a {verdict} log, and not a word of it")
    return wrong


def _record_differences(expected: list, actual: list, fields: Sequence[str]) -> list[str]:
    count = f"records: expected {len(expected)}, found {len(actual)}"
    for number, (want, got) in enumerate(zip(expected, actual)):  # noqa: B905 - of Python 3.10
        for name in ("payload", "payload_sha256", *fields):
            if want.get(name) != got.get(name):
                texts = (str(one.get(name))[:80] for one in (want, got))
                return [
                    f"{count}; {name} of record {number}: expected {{}}, found {{}}".format(*texts)
                ]
    return [count] if len(expected) != len(actual) else []


def _ranges(lost: Sequence[Json], reasons: bool) -> list:
    """Lost ranges with their reasons or, without these, the bytes that they cover."""
    if reasons:
        return [(one.get("file"), one["from"], one["to"], one.get("reason")) for one in lost]
    merged: list = []
    for file, start, stop in sorted((one.get("file", ""), one["from"], one["to"]) for one in lost):
        if merged and merged[-1][0] == file and start <= merged[-1][2]:
            merged[-1] = (file, merged[-1][1], max(stop, merged[-1][2]))
        elif start < stop:
            merged.append((file, start, stop))
    return merged


def pin(actual: Json, reports: Sequence[str]) -> str:
    """Digits that stand for all that was said, the wording of signals apart."""
    said = {part: actual.get(part) for part in PARTS if part in reports}
    said["signals"] = bool(said.get("signals"))
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:8]
