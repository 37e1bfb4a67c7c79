"""The log class of the systemd-journal recipes, and the book that collects them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log
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

#: The layout of systemd 252 with small tables. Its ``--verify`` accepts no later layout.
SMALL: dict[str, Any] = {
    "header_size": 264,
    "compact": False,
    "keyed": False,
    "data_buckets": 8,
    "field_buckets": 4,
}

FIVE = (
    ("MESSAGE=alpha", "PRIORITY=6", "_HOSTNAME=host"),
    ("MESSAGE=bravo", "PRIORITY=3", "_HOSTNAME=host"),
    ("MESSAGE=charlie", "PRIORITY=6", "_HOSTNAME=host"),
    ("MESSAGE=delta", "PRIORITY=6", "_HOSTNAME=host"),
    ("MESSAGE=echo", "PRIORITY=4", "_HOSTNAME=host"),
)

Field = str | bytes


def raw(field: Field) -> bytes:
    """Return ``FIELD=value`` as bytes."""
    return field.encode() if isinstance(field, str) else field


def body(*fields: Field) -> bytes:
    """Return the payload of an entry with these fields."""
    return entry_body(raw(field) for field in fields)


class SystemdLog(Log):
    """A journal file that a recipe builds."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "systemd-journal")

    def write(
        self, *entries: Sequence[Field], first: int = START, step: int = 1_000_000, **options: Any
    ) -> None:
        """Write a new file with these entries, one per second by default."""
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
        """Add an entry before the file is closed."""
        own = [b"_BOOT_ID=" + boot.encode(), *map(raw, fields)]
        number = self.made.header.n_entries
        ticks = 1_000_000 * (number + 1) if monotonic is None else monotonic
        if seqnum is not None:
            self.made.header.tail_entry_seqnum = seqnum - 1
        self.made.append(own, realtime, ticks, bytes.fromhex(boot))
        self.payloads.append(body(*fields))

    def begin(self, **options: Any) -> None:
        """Begin a new file without entries, and leave it open."""
        self.made = Writer(Options.from_context({**SMALL, **options}))

    def close(self) -> None:
        """Finish the file."""
        self.data = bytearray(self.made.finish())

    def close_without_a_seal(self) -> None:
        """Close the file without sealing the entries after its last tag."""
        self.made.options = replace(self.made.options, key=None)
        self.close()

    def record(self, *fields: Field, realtime: int, monotonic: int = 9_000_000) -> None:
        """Add an entry that the implementation must append."""
        times = {"realtime": str(realtime), "monotonic": str(monotonic)}
        self.append(body(*fields), boot_id=BOOT, **times)

    def to_write(self) -> list[NewRecord]:
        """Return the entries with their times and boot ids.

        If the writer must refuse the entries, return them as given.
        """
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
        """Return the header of the control."""
        return parse_header(self.control[: layout.HEADER_FULL])

    @property
    def control(self) -> bytes:
        """Return the undamaged file, or the current file if the recipe damages nothing."""
        return bytes(self.undamaged[""]) or bytes(self.data)

    @property
    def view(self) -> View:
        """Return the objects of the control."""
        return View(self.control, self.header)

    @cached_property
    def objects(self) -> list[tuple[int, int]]:
        """Return the offset and the type of every object of the control."""
        view, at, found = self.view, self.header.header_size, []
        while at <= self.header.tail_object_offset:
            framed = view.frame(at)
            assert not isinstance(framed, str), "controls are sound"
            found.append((at, framed[0]))
            at += align(framed[2])
        return found

    def all_of(self, kind: int) -> list[int]:
        """Return the offsets of the objects of one type."""
        return [at for at, found in self.objects if found == kind]

    def path(self, at: int) -> str:
        """Return ``objects[n]`` for an offset."""
        return f"objects[{[offset for offset, _ in self.objects].index(at)}]"

    def entry(self, number: int) -> str:
        """Return the path of the n-th ENTRY."""
        return self.path(self.all_of(layout.ENTRY)[number])

    def array(self, number: int) -> str:
        """Return the path of the n-th ENTRY_ARRAY."""
        return self.path(self.all_of(layout.ENTRY_ARRAY)[number])

    def tag(self, number: int) -> str:
        """Return the path of the n-th TAG."""
        return self.path(self.all_of(layout.TAG)[number])

    def offset_of(self, field: Field) -> int:
        """Return the offset of the DATA with payload ``FIELD=value``, or of the FIELD with this
        name."""
        view, wanted = self.view, raw(field)
        for at, kind in self.objects:
            if kind == layout.DATA and view.payload(at) == wanted:
                return at
            if kind == layout.FIELD and view.data[at + 40 : at + view.object_size(at)] == wanted:
                return at
        raise KeyError(field)

    def of(self, field: Field) -> str:
        """Return the path of the DATA with payload ``FIELD=value``, or of the FIELD with this
        name."""
        return self.path(self.offset_of(field))

    def start(self, path: str) -> int:
        """Return the offset of an object or field."""
        return self.field(path).start

    def bucket(self, field: Field) -> str:
        """Return the path of the bucket for ``FIELD=value``, or for a field name."""
        data = b"=" in raw(field)
        kind = layout.DATA_HASH_TABLE if data else layout.FIELD_HASH_TABLE
        size = self.header.data_hash_table_size if data else self.header.field_hash_table_size
        number = self.view.hash(raw(field)) % (size // 16)
        return f"{self.path(self.all_of(kind)[0])}.body.buckets[{number}]"

    def without(self, number: int, *names: str) -> bytes:
        """Return the payload of an entry without the fields of these names."""
        kept = [
            payload
            for entry in parse_export(io.BytesIO(self.payloads[number]))
            for payload in entry.payloads
            if payload.partition(b"=")[0].decode() not in names
        ]
        return entry_body(kept)

    def rehash(self, field: Field) -> None:
        """Correct the hash of a DATA after a change of its payload."""
        at = self.offset_of(field)
        payload = View(bytes(self.data), self.header).payload(at)
        self.data[at + 16 : at + 24] = self.view.hash(payload).to_bytes(8, "little")

    def answer_to(self, data: bytes, profile: str = "recover") -> dict[str, Any]:
        """Return the expected answer for another file, as the basis of an accepted answer."""
        return collect(read_data(data, profile, self.context)).to_json()

    def also_accept_as_of(self, data: bytes, why: str) -> None:
        """Also accept the answers for another file, because systemd releases disagree."""
        self.also_accept(self.answer_to(data), why, self.answer_to(data, "strict"))

    def go_on(self) -> Writer:
        """Return a writer that continues the current file."""
        return reopen(bytes(self.data), self.context)


BOOK: Book[SystemdLog] = Book("systemd-journal", SystemdLog, ".journal")
APPENDING = BOOK.group("appending")
CHAIN = BOOK.group("chain")
COMPRESSION = BOOK.group("compression")
CONSEQUENCES = BOOK.group("consequences")
DATA = BOOK.group("data")
ENTRY = BOOK.group("entry")
HEADER = BOOK.group("header")
INDEX = BOOK.group("index")
INFERENCE = BOOK.group("inference")
LAYOUT = BOOK.group("layout")
QUERIES = BOOK.group("queries")
SEALS = BOOK.group("seals")
TORN_TAIL = BOOK.group("torn-tail")
WRITING = BOOK.group("writing")
