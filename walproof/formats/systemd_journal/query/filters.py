"""Match entries against conditions, combined as in journalctl.

Unlike journalctl, the filters select the user units and core dumps of all users.

Upstream authority: systemd ``src/journal/journalctl-filter.c`` (``add_filters``),
``src/shared/logs-show.c`` (``add_matches_for_unit_full``, ``add_matches_for_user_unit_full``),
``src/basic/unit-name.c`` (``unit_name_mangle_with_suffix``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase

from reference_impl.systemd_journal.objects import FIELD_NAME
from walproof.formats.systemd_journal.query.journal_file import JournalEntry
from walproof.formats.systemd_journal.query.short import PRIORITIES

_UNIT_TYPES = (
    *("service", "socket", "target", "device", "mount", "automount", "swap", "timer", "path"),
    *("slice", "scope", "busname"),
)


class BadFilter(ValueError):
    """An invalid condition; the message contains the expected form."""


@dataclass(frozen=True)
class Cursor:
    """The position that a cursor describes (SDJ-063). Times are in microseconds."""

    seqnum_id: bytes
    seqnum: int
    boot_id: bytes
    monotonic: int
    realtime: int
    xor_hash: int

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """Parse a cursor as printed by journalctl. Raises :class:`BadFilter`."""
        parts = dict(part.partition("=")[::2] for part in text.split(";"))
        try:
            numbers = [int(parts[name], 16) for name in "imtx"]
            ids = [bytes.fromhex(parts[name]) for name in "sb"]
        except (KeyError, ValueError):
            raise BadFilter(f"expected a cursor as journalctl prints it, found {text!r}") from None
        seqnum, monotonic, realtime, xor_hash = numbers
        return cls(ids[0], seqnum, ids[1], monotonic, realtime, xor_hash)


@dataclass(frozen=True)
class Match:
    """A field to match, as ``FIELD=value``. The value may be a shell pattern."""

    payload: bytes
    is_glob: bool = False

    @classmethod
    def of(cls, field: str, value: str) -> Match:
        """Return the match for a field with this value, or this shell pattern for its value."""
        return cls(f"{field}={value}".encode("utf-8", "surrogateescape"), is_glob(value))

    def is_in(self, payloads: Set[bytes]) -> bool:
        """Return whether any of the fields matches."""
        if self.is_glob:
            return any(fnmatchcase(payload, self.payload) for payload in payloads)
        return self.payload in payloads


#: Conditions that must all hold. A condition holds if any of its matches is a field of the entry.
Alternative = tuple[tuple[Match, ...], ...]


@dataclass(frozen=True)
class Filter:
    """Conditions on the fields of an entry.

    An entry must match ``pattern``, match at least one alternative of each group, and have no field
    in ``excluded``.
    """

    groups: Sequence[Sequence[Alternative]] = ()
    excluded: Sequence[Match] = ()
    pattern: re.Pattern[bytes] | None = None

    def selects(self, entry: JournalEntry) -> bool:
        """Return whether an entry meets all conditions."""
        if not (self.groups or self.excluded or self.pattern):
            return True
        payloads = dict.fromkeys(entry.payloads()).keys()
        if any(match.is_in(payloads) for match in self.excluded):
            return False
        for group in self.groups:
            if not any(_holds(alternative, payloads) for alternative in group):
                return False
        if self.pattern is None:
            return True
        for payload in payloads:
            if payload.startswith(b"MESSAGE="):  # only the first MESSAGE counts, as in journalctl
                return self.pattern.search(payload.removeprefix(b"MESSAGE=")) is not None
        return False


def _holds(alternative: Alternative, payloads: Set[bytes]) -> bool:
    return all(any(match.is_in(payloads) for match in term) for term in alternative)


_IS_ROOT = (Match(b"_UID=0"),)
# journalctl checks the first field up to systemd 256, and the second field in later releases. Real
# entries of the manager have both fields.
_IS_MANAGER = (Match(b"_PID=1"), Match(b"_SYSTEMD_CGROUP=/init.scope"))
_IS_COREDUMP = (Match(b"MESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1"),)
#: Fields that contain a unit name. If another process may write an entry with this field about the
#: unit, the entry must also meet the conditions.
_UNIT_FIELDS = {
    "_SYSTEMD_UNIT": (),
    "UNIT": (_IS_MANAGER,),
    "OBJECT_SYSTEMD_UNIT": (_IS_ROOT,),
    "COREDUMP_UNIT": (_IS_COREDUMP,),
    "_SYSTEMD_SLICE": (),
}
_USER_UNIT_FIELDS = {
    "_SYSTEMD_USER_UNIT": (),
    "USER_UNIT": (),
    "OBJECT_SYSTEMD_USER_UNIT": (_IS_ROOT,),
    "COREDUMP_USER_UNIT": (_IS_ROOT,),
    "_SYSTEMD_USER_SLICE": (),
}


def parse_match(word: bytes) -> Match:
    """Parse ``FIELD=VALUE``. Raises :class:`BadFilter`."""
    name, equals, _ = word.partition(b"=")
    if not equals or not FIELD_NAME.fullmatch(name):
        raise BadFilter(f"expected FIELD=VALUE, found {word.decode('utf-8', 'backslashreplace')!r}")
    return Match(word)


def group_of_matches(arguments: Sequence[bytes]) -> tuple[Alternative, ...]:
    """Combine match arguments as journalctl does. Raises :class:`BadFilter`.

    Values of one field are alternatives, and so are the groups that ``+`` separates.
    """
    alternatives: list[Alternative] = []
    term: dict[bytes, list[Match]] = {}
    for word in [*arguments, b"+"]:
        if word != b"+":
            term.setdefault(word.partition(b"=")[0], []).append(parse_match(word))
            continue
        if not term:
            raise BadFilter("expected FIELD=VALUE before and after +")
        alternatives.append(tuple(map(tuple, term.values())))
        term = {}
    return tuple(alternatives)


def group_of_units(units: Sequence[str], user_units: Sequence[str]) -> tuple[Alternative, ...]:
    """Select the entries of units.

    Entries that the service manager or the coredump handler wrote about these units are included.
    """
    return tuple(
        (*conditions, (Match.of(field, name),))
        for names, fields in ((units, _UNIT_FIELDS), (user_units, _USER_UNIT_FIELDS))
        for name in map(unit_name, names)
        for field, conditions in fields.items()
        if not field.endswith("SLICE") or name.endswith(".slice") or is_glob(name)
    )


def unit_name(text: str) -> str:
    """Complete a unit name: ``ssh`` is ssh.service, ``/home`` is home.mount.

    Raises :class:`BadFilter`.
    """
    if not text:
        raise BadFilter("expected a unit name, found an empty string")
    if text.startswith("/"):
        path = "/".join(part for part in text.split("/") if part not in ("", "."))
        suffix = "device" if text.startswith(("/dev/", "/sys/")) else "mount"
        return f"{re.sub(r'^[.]|[^A-Za-z0-9:_.]', _escaped, path) or '-'}.{suffix}"
    if is_glob(text):
        return re.sub(r"[^A-Za-z0-9:_.\\@\[\]!*?-]", _escaped, text)
    name = re.sub(r"[^A-Za-z0-9:_.\\@-]", _escaped, text)
    return name if text.rpartition(".")[2] in _UNIT_TYPES else f"{name}.service"


def _escaped(match: re.Match[str]) -> str:
    if match[0] == "/":
        return "-"
    return "".join(f"\\x{byte:02x}" for byte in match[0].encode("utf-8", "surrogateescape"))


def is_glob(text: str) -> bool:
    """Return whether a text is a shell pattern."""
    return any(char in text for char in "*?[")


def group_of_identifiers(names: Sequence[str]) -> tuple[Alternative, ...]:
    """Select entries with any of these syslog identifiers, which may be shell patterns."""
    return ((tuple(Match.of("SYSLOG_IDENTIFIER", name) for name in names),),)


def group_of_priorities(text: str) -> tuple[Alternative, ...]:
    """Select a priority, such as ``err``, and all more important priorities, or select a range.

    Raises :class:`BadFilter`.
    """
    first, dots, last = text.partition("..")
    low, high = (0, _priority(first)) if not dots else (_priority(first), _priority(last))
    low, high = min(low, high), max(low, high)
    return ((tuple(Match(b"PRIORITY=%d" % level) for level in range(low, high + 1)),),)


def _priority(text: str) -> int:
    if text in PRIORITIES:
        return PRIORITIES.index(text)
    if re.fullmatch("[0-7]", text):
        return int(text)
    raise BadFilter(f"expected a priority (0 to 7, or {', '.join(PRIORITIES)}), found {text!r}")


def message_pattern(text: str, is_case_sensitive: bool | None) -> re.Pattern[bytes]:
    """Compile a regular expression. Raises :class:`BadFilter`.

    If ``is_case_sensitive`` is None, only expressions with a capital letter are case-sensitive.
    """
    if is_case_sensitive is None:
        is_case_sensitive = any(char.isupper() for char in text)
    try:
        flags = 0 if is_case_sensitive else re.IGNORECASE
        return re.compile(text.encode("utf-8", "surrogateescape"), flags)
    except re.error as error:
        raise BadFilter(f"expected a regular expression, found {text!r}: {error}") from None
