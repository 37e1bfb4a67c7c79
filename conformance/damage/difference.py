"""Find operations that turn one log into another, for damage that a recipe made without any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.damage.operations import Operation

#: Two ranges of different bytes become one operation if at most this many equal bytes separate
#: them.
MAX_EQUAL_BYTES = 8

#: The ends of two files count as shifted only if at least this many bytes are equal.
MIN_SHIFTED_BYTES = 24


def operations_between(
    before: Mapping[str, bytes], after: Mapping[str, bytes | bytearray]
) -> Iterator[Operation]:
    """Yield operations that turn the files ``before`` into the files ``after``."""
    removed = {file: before[file] for file in sorted(before.keys() - after.keys())}
    for file in sorted(after.keys() - before.keys()):
        new = bytes(after[file])
        old_name = next((name for name, old in removed.items() if new and old == new), None)
        if old_name is not None:
            del removed[old_name]
            yield {"op": "rename-file", "file": old_name, "name": file}
        else:
            yield {"op": "add-file", "file": file, "bytes": new.hex()}
    for file in removed:
        yield {"op": "remove-file", "file": file}
    for file in sorted(before.keys() & after.keys()):
        if before[file] != after[file]:
            for operation in _between(before[file], bytes(after[file])):
                yield {**operation, "file": file}


def _between(old: bytes, new: bytes) -> Iterator[Operation]:
    """Yield operations on one file. Offsets refer to the bytes after the earlier operations."""
    least = min(len(old), len(new))
    start = _equal_bytes(old, new)
    end = min(_equal_bytes(old[::-1], new[::-1]), least - start)
    is_shifted = len(old) != len(new) and (end >= MIN_SHIFTED_BYTES or start + end == least)
    if is_shifted and end > 0:
        if start + end < len(old):
            yield {"op": "drop", "at": start, "end": len(old) - end}
        if start + end < len(new):
            yield {"op": "insert", "at": start, "bytes": new[start : len(new) - end].hex()}
        return
    if len(new) < len(old):
        yield {"op": "truncate", "at": len(new)}
    yield from _different_bytes(old, new[:least])
    if len(new) > len(old):
        yield {"op": "extend", "bytes": new[len(old) :].hex()}


def _equal_bytes(first: bytes, second: bytes) -> int:
    """Return the number of equal bytes at the start."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _different_bytes(old: bytes, new: bytes) -> Iterator[Operation]:
    """Yield an operation for each run of different bytes."""
    different = [at for at, byte in enumerate(new) if byte != old[at]]
    runs: list[tuple[int, int]] = []
    for at in different:
        if runs and at - runs[-1][1] <= MAX_EQUAL_BYTES:
            runs[-1] = runs[-1][0], at + 1
        else:
            runs.append((at, at + 1))
    for start, end in runs:
        change = old[start] ^ new[start]
        if end - start == 1 and change.bit_count() == 1:
            yield {"op": "flip", "at": start, "bit": change.bit_length() - 1}
        else:
            yield {"op": "write", "at": start, "bytes": new[start:end].hex()}
