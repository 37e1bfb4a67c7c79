"""Match entries against conditions, combined as in journalctl.

Unlike journalctl, the filters select the user units and core dumps of all users.

Upstream authority: systemd ``src/journal/journalctl-filter.c`` (``add_filters``),
``src/shared/logs-show.c`` (``add_matches_for_unit_full``, ``add_matches_for_user_unit_full``),
``src/basic/unit-name.c`` (``unit_name_mangle_with_suffix``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from reference_impl.systemd_journal.objects import FIELD_NAME
from walproof.formats.systemd_journal.query.journal_file import JournalEntry
from walproof.formats.systemd_journal.query.short import PRIORITIES

_UNIT_TYPES = (
    *("service", "socket", "target", "device", "mount", "automount", "swap", "timer", "path"),
    *("slice", "scope", "busname"),
)
_VALID = re.compile(r"[A-Za-z0-9:_.\\@-]")
_VALID_GLOB = re.compile(r"[A-Za-z0-9:_.\\@\[\]!*?-]+")


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
    """A field with a value, or with a shell pattern for its value."""

    field: bytes
    value: bytes
    is_glob: bool = False

    def matches(self, payload: bytes) -> bool:
        """Return whether ``FIELD=value`` matches."""
        name, _, value = payload.partition(b"=")
        if name != self.field:
            return False
        return fnmatchcase(value, self.value) if self.is_glob else value == self.value


#: Conditions that must all hold; each holds if any of its matches is a field of the entry.
Alternative = tuple[tuple[Match, ...], ...]


class Filter:
    """Conditions on the fields of an entry.

    An entry must match ``pattern``, match at least one alternative of each group, and have no field
    in ``excluded``.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Alternative]] = (),
        excluded: Sequence[Match] = (),
        pattern: re.Pattern[bytes] | None = None,
    ) -> None:
        self._groups, self._excluded, self._pattern = groups, excluded, pattern
        terms = [term for group in groups for alternative in group for term in alternative]
        matches = dict.fromkeys([match for term in terms for match in term] + [*excluded])
        self._exact = {
            match.field + b"=" + match.value: match for match in matches if not match.is_glob
        }
        self._globs = [match for match in matches if match.is_glob]

    def selects(self, entry: JournalEntry) -> bool:
        """Return whether an entry meets all conditions."""
        if self._exact or self._globs:
            matches = {
                match for each in entry.payloads() for match in self._matches_of_payload(each)
            }
            if not matches.isdisjoint(self._excluded):
                return False
            for group in self._groups:
                if not any(
                    all(not matches.isdisjoint(term) for term in alternative)
                    for alternative in group
                ):
                    return False
        return self._pattern is None or _has_pattern(entry, self._pattern)

    def _matches_of_payload(self, payload: bytes) -> Iterable[Match]:
        if (match := self._exact.get(payload)) is not None:
            yield match
        yield from (match for match in self._globs if match.matches(payload))


def _has_pattern(entry: JournalEntry, pattern: re.Pattern[bytes]) -> bool:
    for payload in entry.payloads():
        if payload.startswith(b"MESSAGE="):  # the first one counts, as in journalctl
            return pattern.search(payload.removeprefix(b"MESSAGE=")) is not None
    return False


_IS_ROOT = (Match(b"_UID", b"0"),)
# journalctl takes the first of them up to systemd 256, and the second since; a real entry has both.
_IS_MANAGER = (Match(b"_PID", b"1"), Match(b"_SYSTEMD_CGROUP", b"/init.scope"))
_IS_COREDUMP = (Match(b"MESSAGE_ID", b"fc2e22bc6ee647b6b90729ab34a250b1"),)


def parse_match(word: bytes) -> Match:
    """Parse ``FIELD=VALUE``. Raises :class:`BadFilter`."""
    name, equals, value = word.partition(b"=")
    if not equals or not FIELD_NAME.fullmatch(name):
        raise BadFilter(f"expected FIELD=VALUE, found {word.decode('utf-8', 'backslashreplace')!r}")
    return Match(name, value)


def group_of_matches(arguments: Sequence[bytes]) -> tuple[Alternative, ...]:
    """Combine match arguments as journalctl does. Raises :class:`BadFilter`.

    Values of one field are alternatives. The groups that ``+`` separates are alternatives too.
    """
    alternatives: list[Alternative] = []
    term: dict[bytes, list[Match]] = {}
    for word in [*arguments, b"+"]:
        if word != b"+":
            match = parse_match(word)
            term.setdefault(match.field, []).append(match)
            continue
        if not term:
            raise BadFilter("expected FIELD=VALUE before and after +")
        alternatives.append(tuple(map(tuple, term.values())))
        term = {}
    return tuple(alternatives)


def group_of_units(units: Sequence[str], user_units: Sequence[str]) -> tuple[Alternative, ...]:
    """Select entries of a unit, and entries of its manager and the coredump handler about it."""
    alternatives: list[Alternative] = []
    for name in map(unit_name, units):
        alternatives += [
            (_unit("_SYSTEMD_UNIT", name),),
            (_IS_MANAGER, _unit("UNIT", name)),
            (_IS_ROOT, _unit("OBJECT_SYSTEMD_UNIT", name)),
            (_IS_COREDUMP, _unit("COREDUMP_UNIT", name)),
        ]
        if name.endswith(".slice") or is_glob(name):
            alternatives.append((_unit("_SYSTEMD_SLICE", name),))
    for name in map(unit_name, user_units):
        alternatives += [
            (_unit("_SYSTEMD_USER_UNIT", name),),
            (_unit("USER_UNIT", name),),
            (_IS_ROOT, _unit("OBJECT_SYSTEMD_USER_UNIT", name)),
            (_IS_ROOT, _unit("COREDUMP_USER_UNIT", name)),
        ]
        if name.endswith(".slice") or is_glob(name):
            alternatives.append((_unit("_SYSTEMD_USER_SLICE", name),))
    return tuple(alternatives)


def _unit(field: str, name: str) -> tuple[Match, ...]:
    return (Match(field.encode(), name.encode("utf-8", "surrogateescape"), is_glob(name)),)


def unit_name(text: str) -> str:
    """Complete a unit name: ``ssh`` is ssh.service, ``/home`` is home.mount. ``BadFilter``."""
    if not text:
        raise BadFilter("expected a unit name, found an empty string")
    suffix = text.rpartition(".")[2]
    if all(map(_VALID.fullmatch, text)) and suffix in _UNIT_TYPES and not text.startswith("."):
        return text
    if is_glob(text) and _VALID_GLOB.fullmatch(text):
        return text
    if text.startswith("/"):
        kind = "device" if text.startswith(("/dev/", "/sys/")) else "mount"
        return f"{_escaped_path(text)}.{kind}"
    valid = _VALID_GLOB if is_glob(text) else _VALID
    escaped = "".join(
        "-" if char == "/" else char if valid.fullmatch(char) else _escaped(char) for char in text
    )
    return escaped if is_glob(text) or suffix in _UNIT_TYPES else f"{escaped}.service"


def _escaped_path(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    text = "/".join(parts)
    return "".join(
        "-" if char == "/"
        else char if re.fullmatch(r"[A-Za-z0-9:_.]", char) and (char != "." or at)
        else _escaped(char)
        for at, char in enumerate(text)
    ) or "-"  # fmt: skip


def _escaped(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def is_glob(text: str) -> bool:
    """Return whether a text is a shell pattern."""
    return any(char in text for char in "*?[")


def group_of_identifiers(names: Sequence[str]) -> tuple[Alternative, ...]:
    """Select entries with any of these syslog identifiers, which may be shell patterns."""
    matches = tuple(
        Match(b"SYSLOG_IDENTIFIER", name.encode("utf-8", "surrogateescape"), is_glob(name))
        for name in names
    )
    return ((matches,),)


def group_of_priorities(text: str) -> tuple[Alternative, ...]:
    """Select ``err`` or ``3`` and all more important priorities; ``warning..err`` is a range.

    Raises :class:`BadFilter`.
    """
    first, dots, last = text.partition("..")
    low, high = (0, _priority(first)) if not dots else (_priority(first), _priority(last))
    low, high = min(low, high), max(low, high)
    return ((tuple(Match(b"PRIORITY", b"%d" % level) for level in range(low, high + 1)),),)


def _priority(text: str) -> int:
    if text in PRIORITIES:
        return PRIORITIES.index(text)
    if re.fullmatch("[0-7]", text):
        return int(text)
    raise BadFilter(f"expected a priority (0 to 7, or {', '.join(PRIORITIES)}), found {text!r}")


def message_pattern(text: str, is_case_sensitive: bool | None) -> re.Pattern[bytes]:
    """Compile a regular expression; by default, upper-case letters make it case-sensitive.

    Raises :class:`BadFilter`.
    """
    if is_case_sensitive is None:
        is_case_sensitive = any(char.isupper() for char in text)
    try:
        flags = 0 if is_case_sensitive else re.IGNORECASE
        return re.compile(text.encode("utf-8", "surrogateescape"), flags)
    except re.error as error:
        raise BadFilter(f"expected a regular expression, found {text!r}: {error}") from None
