"""Journal files for the tests of this directory."""

from typing import Any

from conformance.recipes.systemd_journal.log import BOOT, SMALL, START
from reference_impl.answer import Answer, collect
from reference_impl.systemd_journal import reader
from reference_impl.systemd_journal.builder import Options, Writer


def answer(data: bytes, profile: str = "recover", **context: Any) -> Answer:
    return collect(reader.read_data(data, profile, context))


def journal_bytes(
    *entries: list[bytes], first: int = START, step: int = 1_000_000, **options: Any
) -> bytes:
    writer = Writer(Options.from_context({**SMALL, **options}))
    for number, payloads in enumerate(entries):
        boot_fields = [b"_BOOT_ID=" + BOOT.encode(), *payloads]
        writer.append(boot_fields, first + number * step, number + 1, bytes.fromhex(BOOT))
    return writer.finish()


def hello(count: int) -> list[list[bytes]]:
    return [[b"MESSAGE=hello %d" % n, b"PRIORITY=%d" % (n % 3)] for n in range(count)]
