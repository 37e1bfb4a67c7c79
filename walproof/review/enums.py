"""Two versions of an enum: names are for programs, values are bytes."""

from __future__ import annotations

from collections.abc import Iterator

from walproof.review.finding import Finding
from walproof.review.resolved import Model, Name


def compare_enums(old: Model, new: Model, a: Name, b: Name) -> Iterator[Finding]:
    """The findings between two enums, by value and by name."""
    before, after = old.enums[a], new.enums[b]
    values_before = {name: value for value, name in before.items()}
    values_after = {name: value for value, name in after.items()}

    def where(value: int | None) -> str:
        more = () if value is None else (str(value),)
        return new.place(b[0], new.enum_paths[b], *more)

    for name, value in values_before.items():
        subject = f"{b[-1]}::{name}"
        if name in values_after:
            if values_after[name] != value:
                yield Finding(
                    "ENUM_RENUMBERED", ("READ", "WRITE"), "breaking", subject,
                    f"{value} → {values_after[name]}",
                    "both sides: the same byte means one thing here and another there",
                    where(values_after[name]),
                )  # fmt: skip
        elif value in after and after[value] not in values_before:
            yield Finding(
                "ENUM_MEMBER_RENAMED", ("API",), "warning", subject, f"{name} → {after[value]}",
                "programs that use the name; the bytes are the same", where(value),
            )  # fmt: skip
        elif value not in after:
            yield Finding(
                "ENUM_MEMBER_REMOVED", ("READ",), "breaking", subject, f"{value} has no name now",
                "new readers, of old logs that hold it: they no longer know what it means",
                where(None),
            )  # fmt: skip
    for value, name in after.items():
        if value not in before and name not in values_before:
            yield Finding(
                "ENUM_MEMBER_ADDED", ("WRITE",), "note", f"{b[-1]}::{name}", f"{value} is new",
                "old readers of new logs meet a value without a name; whether they refuse it is"
                " up to the field", where(value),
            )  # fmt: skip
