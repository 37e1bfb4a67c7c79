"""The verbs that only journal files need, and the book of their recipes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log
from conformance.recipes.systemd_journal.fresh_fields import vary_field
from reference_impl.answer import NewRecord, collect
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.appending import reopen
from reference_impl.systemd_journal.builder import Options, Writer
from reference_impl.systemd_journal.export_format import entry_body, parse_export
from reference_impl.systemd_journal.layout import Header, align, parse_header
from reference_impl.systemd_journal.objects import View
from reference_impl.systemd_journal.reader import read_data

BOOT = "0123456789abcdef0123456789abcdef"
START = 1700000000000000
KEY = "60c6dd-60e930-b562e9-86b6ff/ab344fa-989680"
SEALED_START = 0xAB344FA * 0x989680

SMALL: dict[str, Any] = {
    "header_size": 264,
    "compact": False,
    "keyed": False,
    "data_buckets": 8,
    "field_buckets": 4,
}
"""The layout that systemd 252 writes, with small tables. Its ``--verify`` takes no later one."""

FIVE = (
    ("MESSAGE=alpha", "PRIORITY=6", "_HOSTNAME=host"),
    ("MESSAGE=bravo", "PRIORITY=3", "_HOSTNAME=host"),
    ("MESSAGE=charlie", "PRIORITY=6", "_HOSTNAME=host"),
    ("MESSAGE=delta", "PRIORITY=6", "_HOSTNAME=host"),
    ("MESSAGE=echo", "PRIORITY=4", "_HOSTNAME=host"),
)

Field = str | bytes


def raw(field: Field) -> bytes:
    """``FIELD=value`` as bytes, with the value that it has in this log."""
    return vary_field(field.encode() if isinstance(field, str) else field)


def body(*fields: Field) -> bytes:
    """The payload of an entry with these fields."""
    return entry_body(raw(field) for field in fields)


class SystemdLog(Log):
    """A journal file being built."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "systemd-journal")

    def varied(self, payload: bytes) -> bytes:
        """A payload as it is: :func:`raw` has seen to its fields."""
        return payload

    def write(
        self, *entries: Sequence[Field], first: int = START, step: int = 1_000_000, **options: Any
    ) -> None:
        """A new file with these entries, one a second."""
        self.made = Writer(Options.from_context({**SMALL, **options}))
        for number, fields in enumerate(entries):
            self.entry_at(first + number * step, fields)
        self.close()

    def entry_at(
        self,
        realtime: int,
        fields: Sequence[Field],
        boot: str = BOOT,
        monotonic: int | None = None,
        seqnum: int | None = None,
    ) -> None:
        """One more entry, before the file is closed."""
        own = [b"_BOOT_ID=" + boot.encode(), *map(raw, fields)]
        number = self.made.header.n_entries
        ticks = 1_000_000 * (number + 1) if monotonic is None else monotonic
        if seqnum is not None:
            self.made.header.tail_entry_seqnum = seqnum - 1
        self.made.append(own, realtime, ticks, bytes.fromhex(boot))
        self.payloads.append(body(*fields))

    def begin(self, **options: Any) -> None:
        """A new file without entries, still open."""
        self.made = Writer(Options.from_context({**SMALL, **options}))

    def close(self) -> None:
        """The file is whole."""
        self.data = bytearray(self.made.finish())

    def close_without_a_seal(self) -> None:
        """The file is whole, and nobody sealed what follows its last tag."""
        self.made.options = replace(self.made.options, key=None)
        self.close()

    def record(self, *fields: Field, realtime: int, monotonic: int = 9_000_000) -> None:
        """An entry that the implementation is asked to append."""
        times = {"realtime": str(realtime), "monotonic": str(monotonic)}
        self.append(body(*fields), boot_id=BOOT, **times)

    def to_write(self) -> list[NewRecord]:
        """The entries with times and boot id; those that must be refused as they were given."""
        if self.must_refuse:
            return list(self.to_append)
        view = self.view
        return [
            NewRecord(
                payload,
                {
                    "boot_id": view.entry(at).boot_id.hex(),
                    "realtime": str(view.entry(at).realtime),
                    "monotonic": str(view.entry(at).monotonic),
                },
            )
            for payload, at in zip(self.payloads, self.all_of(layout.ENTRY), strict=True)
        ]

    @property
    def header(self) -> Header:
        """The header of the control."""
        return parse_header(self.control[: layout.HEADER_FULL])

    @property
    def control(self) -> bytes:
        """The undamaged file; where there is none, the file as it stands."""
        return bytes(self._control[""]) or bytes(self.data)

    @property
    def view(self) -> View:
        """The objects of the control."""
        return View(self.control, self.header)

    @cached_property
    def objects(self) -> list[tuple[int, int]]:
        """Offset and type of every object of the control."""
        view, at, found = self.view, self.header.header_size, []
        while at <= self.header.tail_object_offset:
            framed = view.frame(at)
            assert not isinstance(framed, str), "controls are sound"
            found.append((at, framed[0]))
            at += align(framed[2])
        return found

    def all_of(self, kind: int) -> list[int]:
        """Offsets of the objects of one type."""
        return [at for at, found in self.objects if found == kind]

    def path(self, at: int) -> str:
        """``objects[n]`` of an offset."""
        return f"objects[{[offset for offset, _ in self.objects].index(at)}]"

    def entry(self, number: int) -> str:
        """The n-th ENTRY."""
        return self.path(self.all_of(layout.ENTRY)[number])

    def array(self, number: int) -> str:
        """The n-th ENTRY_ARRAY."""
        return self.path(self.all_of(layout.ENTRY_ARRAY)[number])

    def tag(self, number: int) -> str:
        """The n-th TAG."""
        return self.path(self.all_of(layout.TAG)[number])

    def offset_of(self, field: Field) -> int:
        """Where the DATA of ``FIELD=value``, or the FIELD of a name, is."""
        view, wanted = self.view, raw(field)
        for at, kind in self.objects:
            if kind == layout.DATA and view.payload(at) == wanted:
                return at
            if kind == layout.FIELD and view.data[at + 40 : at + view.object_size(at)] == wanted:
                return at
        raise KeyError(field)

    def of(self, field: Field) -> str:
        """The object of ``FIELD=value``, or of a name."""
        return self.path(self.offset_of(field))

    def start(self, path: str) -> int:
        """The offset of an object or field."""
        return self.field(path).start

    def bucket(self, field: Field) -> str:
        """The bucket of ``FIELD=value``, or of a name."""
        data = b"=" in raw(field)
        kind = layout.DATA_HASH_TABLE if data else layout.FIELD_HASH_TABLE
        size = self.header.data_hash_table_size if data else self.header.field_hash_table_size
        number = self.view.hash(raw(field)) % (size // 16)
        return f"{self.path(self.all_of(kind)[0])}.body.buckets[{number}]"

    def without(self, number: int, *names: str) -> bytes:
        """The payload of an entry that lost fields."""
        kept = [
            payload
            for entry in parse_export(io.BytesIO(self.payloads[number]))
            for payload in entry.payloads
            if payload.partition(b"=")[0].decode() not in names
        ]
        return entry_body(kept)

    def rehash(self, field: Field) -> None:
        """Make the hash of a DATA right again after a change to its payload."""
        at = self.offset_of(field)
        payload = View(bytes(self.data), self.header).payload(at)
        self.data[at + 16 : at + 24] = self.view.hash(payload).to_bytes(8, "little")
        self.did(f"rehash the object at {at}")

    def answer_to(self, data: bytes, profile: str = "recover") -> dict[str, Any]:
        """The answer to another file, to make an accepted one of."""
        return collect(read_data(data, profile, self.context)).to_json()

    def also_accept_as_of(self, data: bytes, why: str) -> None:
        """The answers to another file are allowed too: releases of systemd disagree."""
        self.also_accept(self.answer_to(data), why, self.answer_to(data, "strict"))

    def go_on(self) -> Writer:
        """A writer that goes on with the control."""
        return reopen(bytes(self.data), self.context)


BOOK: Book[SystemdLog] = Book("systemd-journal")
