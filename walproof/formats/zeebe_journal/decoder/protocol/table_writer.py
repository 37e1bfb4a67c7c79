"""Generate the table of protocol constants from ``zeebe-protocol`` of each release line.

    python -m walproof.formats.zeebe_journal.decoder.protocol.table_writer

Needs a JDK and Maven.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.process import Limits, run_program
from conformance.saving import save
from reference_impl.paths import BUILD

HERE = Path(__file__).resolve().parent
TABLE = HERE / "protocol.toml"
BUILD_SECONDS, JAVA_SECONDS = 600, 60
MEMORY_BYTES = 4 << 30
_HEAD = """\
# The meaning of the numbers in the metadata of Zeebe's records, by line of releases. Written by
#   python -m walproof.formats.zeebe_journal.decoder.protocol.table_writer
# which calls fromProtocolValue of ValueType, RecordType, RejectionType and Intent in
# io.camunda:zeebe-protocol, at the releases below. "schema" is the version in the header of the
# metadata. The position of an intent in its list is its number; "" is a number without a meaning.
# An entry applies from its line of releases on, until a later entry has the same number.
"""


@dataclass
class Line:
    """The names of one release."""

    release: str
    schema: int = 0
    records: dict[int, str] = field(default_factory=dict)
    rejections: dict[int, str] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)
    intents: dict[int, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the release line: ``8.3`` for 8.3.22."""
        return ".".join(self.release.split(".")[:2])


def read_jars() -> list[Line]:
    """Return the names in the jars, oldest release line first.

    Raises ``RuntimeError``, and the errors of :func:`~conformance.process.run_program`.
    """
    out = BUILD / "decode" / "zeebe-protocol"
    out.mkdir(parents=True, exist_ok=True)
    _run(["sh", str(HERE / "build.sh")], BUILD_SECONDS, WALPROOF_BUILD=str(out))
    jars = {_release(jar): jar for jar in (out / "lib").glob("zeebe-protocol-*.jar")}
    (agrona,) = (out / "lib").glob("agrona-*.jar")
    order = sorted(jars, key=lambda release: [int(part) for part in re.findall(r"\d+", release)])
    return [_line(release, [out / "classes", jars[release], agrona]) for release in order]


def _run(command: list[str], seconds: float, **variables: str) -> str:
    limits = Limits(memory_bytes=MEMORY_BYTES)
    done = run_program(command, seconds, variables=variables, limits=limits, cwd=HERE)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


def _release(jar: Path) -> str:
    return jar.stem.removeprefix("zeebe-protocol-")


def _line(release: str, classes: list[Path]) -> Line:
    command = ["java", "-cp", os.pathsep.join(map(str, classes)), "Protocol"]
    line = Line(release)
    for row in _run(command, JAVA_SECONDS).splitlines():
        kind, first, *rest = row.split()
        number = int(first)
        if kind == "schema":
            line.schema = number
        elif kind == "intent":
            names = line.intents.setdefault(number, [])
            names += [""] * (int(rest[0]) - len(names)) + [rest[1]]
        else:
            names_of = {"record": line.records, "rejection": line.rejections, "value": line.values}
            names_of[kind][number] = rest[0]
    return line


def table(lines: list[Line]) -> str:
    """Return the table as TOML."""
    newest = lines[-1]
    parts = [_HEAD, "[lines]"]
    for line in lines:
        parts.append(f'"{line.name}" = {{ release = "{line.release}", schema = {line.schema} }}')
        # No release removes or renames record types or rejection types, or removes value types.
        assert line.records.items() <= newest.records.items()
        assert line.rejections.items() <= newest.rejections.items()
        assert line.values.keys() <= newest.values.keys()
    parts += ["", "[record_types]", *_names(newest.records)]
    parts += ["", "[rejection_types]", *_names(newest.rejections)]
    for number in sorted(newest.values):
        known: tuple[str, list[str]] | None = None
        for line in lines:
            names = (line.values.get(number, ""), line.intents.get(number, []))
            if names[0] and names != known:
                parts += ["", "[[value_types]]", f"number = {number}", f'name = "{names[0]}"']
                parts += [f'since = "{line.name}"', _list("intents", names[1])]
                known = names
    return "\n".join(parts) + "\n"


def _names(names: Mapping[int, str]) -> list[str]:
    return [f'{number} = "{name}"' for number, name in sorted(names.items())]


def _list(key: str, names: list[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    whole = f"{key} = [{', '.join(quoted)}]"
    if len(whole) <= 100:
        return whole
    wrapped = textwrap.fill(", ".join(quoted) + ",", 96, break_on_hyphens=False)
    return f"{key} = [\n{textwrap.indent(wrapped, '    ')}\n]"


if __name__ == "__main__":
    save(TABLE, table(read_jars()))
