"""Convert a parsed MessagePack value to JSON, by spec/zmq-raft.md alone (ZMR-072)."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

EXACT = 2**53 - 1
NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}


def to_json(value: Any) -> Any:
    """Return a value with its nested values as JSON."""
    first = value.first
    if value.is_map:
        return map_to_json(value)
    if value.is_array:
        return [to_json(element) for element in getattr(value, "elements", ())]
    if value.is_str:
        try:
            return value.data.decode()
        except UnicodeDecodeError:
            return {"hex": value.data.hex()}
    if value.is_bin:
        return {"bin": value.data.hex()}
    if value.is_ext:
        return {"ext": [value.ext_type, value.data.hex()]}
    if first == 0xCA and math.isnan(struct.unpack(">f", value.number)[0]):
        sign, rest = value.number[0] & 0x80, int.from_bytes(value.number[1:], "big") & 0x7FFFFF
        wide = (sign << 56) | 0x7FF8 << 48 | rest << 29
        return {"float": f"{wide:016x}"}
    if first in NUMBERS:
        return number(struct.unpack(NUMBERS[first], value.number)[0])
    if first in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[first]
    return first if first < 0x80 else first - 0x100


def map_to_json(value: Any) -> dict[str, Any]:
    """Return a map as JSON. If a key is repeated, the last value is used (ZMR-071)."""
    inner = getattr(value, "elements", [])
    pairs = {}
    for key, content in zip(inner[::2], inner[1::2], strict=True):
        name = in_a_key(key)
        if not isinstance(name, str):
            name = json.dumps(name, separators=(",", ":"), ensure_ascii=False)
        pairs[name] = to_json(content)
    return pairs


def in_a_key(value: Any) -> Any:
    """Return a key, or a value inside a key, with each map as a list of pairs (ZMR-072)."""
    inner = getattr(value, "elements", [])
    if value.is_map:
        pairs = zip(inner[::2], inner[1::2], strict=True)
        return {"map": [[in_a_key(key), in_a_key(content)] for key, content in pairs]}
    return [in_a_key(element) for element in inner] if value.is_array else to_json(value)


def number(value: int | float) -> Any:
    """Return a number, or an object if JavaScript cannot represent the number exactly."""
    if isinstance(value, int):
        return value if abs(value) <= EXACT else {"int": str(value)}
    if value == value and abs(value) <= EXACT and value.is_integer():
        return int(value)
    return {"float": struct.pack(">d", value).hex()}
