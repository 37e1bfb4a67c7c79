"""The folder of a LevelDB or RocksDB database: its logs, and what its MANIFEST says of the rest.

Upstream authority: google/leveldb 1.23 ``db/db_impl.cc`` (``DBImpl::Recover``: which logs are
replayed, which tables must be there; ``RemoveObsoleteFiles``), ``db/filename.cc``,
``db/repair.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reference_impl.answer import End, Record
from reference_impl.leveldb_log import read
from walproof.extras import advice
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.systems.model import Finding, Kind, OtherFile, System, SystemLog, size_of_all

if TYPE_CHECKING:
    from walproof.decode.leveldb_log import version_edit

FORMAT = "leveldb-log"
CURRENT = "CURRENT"
LOG_NAME = re.compile(r"(\d{6,20})\.log")
TABLE_NAME = re.compile(r"(\d{6,20})\.(ldb|sst)")
MANIFEST_NAME = re.compile(r"MANIFEST-(\d{6,20})")
ROLES = {
    "LOCK": "held by the process that has the database open",
    "LOG": "what the database says of itself, for people",
    "LOG.old": "what it said before it was opened last",
    "IDENTITY": "the id of the database",
}
MOST_NAMED = 5


@dataclass
class Manifest:
    """What a MANIFEST says: the first log that is replayed, the one before it, the live tables.

    ``faults`` say what could not be read of it. ``first_log`` is None where it says nothing of
    logs, ``tables`` are numbers.
    """

    name: str
    first_log: int | None = None
    log_before: int | None = None
    tables: set[int] = field(default_factory=set)
    edits: int = 0
    faults: list[str] = field(default_factory=list)


class Database(Kind):
    """See :class:`Kind`."""

    def recognise(self, folder: Path) -> System | None:
        """See :class:`Kind`: by CURRENT or a MANIFEST; by tables beside logs, without both."""
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
        logs = {int(match[1]): name for name in names if (match := LOG_NAME.fullmatch(name))}
        tables = {int(match[1]): name for name in names if (match := TABLE_NAME.fullmatch(name))}
        manifests = [name for name in names if MANIFEST_NAME.fullmatch(name)]
        if not manifests and not (tables and logs) and not (CURRENT in names and (logs or tables)):
            return None
        findings: list[Finding] = []
        chosen = _chosen(folder, names, manifests, findings)
        said = _read(folder, chosen) if chosen is not None else Manifest("")
        knows = chosen is not None and not said.faults
        if said.faults:
            findings.append(_damaged(said))
        findings += _missing(said, logs, tables)
        is_sound = knows and not any(finding.harm == "lost" for finding in findings)
        live = {number: name for number, name in logs.items() if _is_live(number, said)}
        rocks = any(name.startswith("OPTIONS-") for name in names) or "IDENTITY" in names
        return System(
            self,
            f"{'RocksDB' if rocks else 'LevelDB'} database",
            folder,
            FORMAT,
            [
                SystemLog(name, "live" if knows else "perhaps live: nothing says which logs are")
                for _, name in sorted(live.items())
            ],
            sorted(
                _others(folder, names, set(live.values()), said, tables, is_sound),
                key=lambda other: bool(TABLE_NAME.fullmatch(other.name)),  # there may be thousands
            ),
            findings,
            {"is_sound": is_sound, "first_log": said.first_log},
        )

    def after_recovery(self, system: System) -> str:
        """See :class:`Kind`."""
        if system.facts["is_sound"]:
            return "The database opens as it is. Its tables were not looked into."
        return (
            "It has no CURRENT and no MANIFEST: RepairDB makes new ones from logs and tables. Do"
            " not open it before that: a database deletes the tables that no MANIFEST names."
        )


def _chosen(
    folder: Path, names: list[str], manifests: list[str], findings: list[Finding]
) -> str | None:
    """The MANIFEST that counts: the one CURRENT names, else the latest; what is wrong is found."""
    latest = max(manifests, key=lambda name: int(name.partition("-")[2]), default=None)
    if CURRENT not in names:
        findings.append(
            Finding(
                "CURRENT is not there: a database that is opened here begins anew", None, "lost"
            )
        )
        return latest
    with (folder / CURRENT).open("rb") as file:
        content = file.read(256)
    named = content.decode("ascii", "replace").removesuffix("\n")
    if content.endswith(b"\n") and named in manifests:
        return named
    what = f"it names {quoted(named.encode())}, which is not there" if named else "it is empty"
    if named in manifests:
        what = "it is cut: the newline at its end is not there"
    latest_is = f"; the latest one is {latest}" if latest else ", and there is no other MANIFEST"
    findings.append(Finding(f"{what}{latest_is}", CURRENT, "lost"))
    return latest


def _read(folder: Path, name: str) -> Manifest:
    """What a MANIFEST says, as far as it can be read."""
    found = Manifest(name)
    try:  # decoders make columns: what they need is an extra
        from walproof.decode.fault import Undecodable
        from walproof.decode.leveldb_log import version_edit
    except ModuleNotFoundError as missing:
        found.faults.append(f"to say what is in it, this {advice(missing) or missing}")
        return found
    tables: set[tuple[int, int, int]] = set()
    lost = 0
    for event in read(folder / name, "recover", {}):
        if isinstance(event, End):
            if event.verdict in ("damaged", "refused"):
                found.faults.append(f"{event.verdict} ({event.reason})")
        elif isinstance(event, Record):
            try:
                edit = version_edit.decode(event.payload)
            except Undecodable as error:
                found.faults.append(f"the edit at {event.at} cannot be read: {error}")
                continue
            found.edits += 1
            _apply(edit, found, tables)
        else:
            lost += event.end - event.start
    if lost and found.faults:
        found.faults[-1] += f", {counted(lost, 'byte')} lost"
    found.tables = {number for _, _, number in tables}
    return found


def _apply(edit: version_edit.Edit, found: Manifest, tables: set[tuple[int, int, int]]) -> None:
    """Let an edit change which tables are live, and which logs are replayed."""
    family = edit.get("column_family") or 0
    for gone in edit.get("deleted_files", ()):
        tables.discard((family, gone["level"], gone["number"]))
    for new in edit.get("new_files", ()):
        tables.add((family, new["level"], new["number"]))
    if "min_log_number_to_keep" in edit:
        found.first_log = edit["min_log_number_to_keep"]
    elif "log_number" in edit and not family:
        found.first_log = max(found.first_log or 0, edit["log_number"])
    if "prev_log_number" in edit:
        found.log_before = edit["prev_log_number"] or None


def _is_live(number: int, said: Manifest) -> bool:
    return said.first_log is None or number >= said.first_log or number == said.log_before


def _damaged(said: Manifest) -> Finding:
    first = f"; it begins with log {said.first_log:06}" if said.first_log is not None else ""
    known = f"{counted(said.edits, 'edit')} of it can be read: {counted(len(said.tables), 'table')}"
    faults = "; ".join(said.faults[:3]) + ("; …" if len(said.faults) > 3 else "")
    return Finding(f"{faults}. What it still says: {known}{first}", said.name, "lost")


def _missing(said: Manifest, logs: dict[int, str], tables: dict[int, str]) -> Iterator[Finding]:
    missing = sorted(said.tables - tables.keys())
    if said.faults and missing:
        what = f"of the tables that it still names, {len(missing)} are not there"
        yield Finding(f"{what}: perhaps a part that is lost says that they were deleted", said.name)
    elif missing:
        names = ", ".join(f"{number:06}" for number in missing[:MOST_NAMED])
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        noun = "table that it names is" if len(missing) == 1 else "tables that it names are"
        yield Finding(
            f"{len(missing)} {noun} not there ({names}{more}): no database opens like this,"
            " and what they held is lost",
            said.name,
            "lost",
        )
    if said.first_log and said.first_log not in logs and not said.faults:
        yield Finding(
            f"log {said.first_log:06}, which it begins with, is not there: what was written after"
            " the last table is lost",
            said.name,
            "lost" if not any(number > said.first_log for number in logs) else "look",
        )


def _others(
    folder: Path,
    names: list[str],
    live: set[str],
    said: Manifest,
    tables: dict[int, str],
    is_sound: bool,
) -> Iterator[OtherFile]:
    numbers = {name: number for number, name in tables.items()}
    for name in names:
        size = size_of_all(folder / name)
        if name in live:
            continue
        if name == CURRENT:
            yield OtherFile(name, "names the MANIFEST", size, is_sound)
        elif name == said.name:
            known = f"{counted(len(said.tables), 'table')}, in {counted(said.edits, 'edit')}"
            yield OtherFile(name, f"which tables and logs there are: {known}", size, is_sound)
        elif MANIFEST_NAME.fullmatch(name):
            yield OtherFile(name, "a MANIFEST that is not the current one", size)
        elif LOG_NAME.fullmatch(name):
            yield OtherFile(name, "obsolete log: what it holds is in tables", size)
        elif name in numbers:
            is_named = numbers[name] in said.tables
            role = "table that the MANIFEST does not name: obsolete"
            if is_named or said.faults or not said.name:
                role = "table"
            yield OtherFile(name, role, size, is_named or not is_sound)
        elif name.startswith("OPTIONS-"):
            yield OtherFile(name, "options of the database", size, True)
        elif name in ROLES:
            yield OtherFile(name, ROLES[name], size, name == "IDENTITY")
        else:
            yield OtherFile(name, "not of the database", size)


KIND = Database()
