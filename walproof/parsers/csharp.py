"""What the compiler writes that is no C#, put right.

* The type ``header`` and the field ``header`` are both ``Header``. Where both stand in one class,
  or the property stands in the type of its own name, C# refuses the two (CS0102, CS0542). The
  property keeps its name, which is what users write; the type becomes ``HeaderType``.
* ``((Kind) a & 255)`` of an instance with an enum casts ``a`` alone (CS0019).
* ``Mod`` of the runtime takes no ``ulong`` (CS1503).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_TYPE = re.compile(r"^( *)public (?:partial class|enum) (\w+)")
_PROPERTY = re.compile(r"^ +public [^(=;]*?(\w+)(?: \{|$)")
_MEMBER = re.compile(r"^ +(\w+) = -?\d+,$")
_ENUM_OF = re.compile(r"(= \([\w.]+\) \(\(\([\w.]+\)) ([^(].*)\)\);$", re.MULTILINE)
_MOD = "KaitaiStream.Mod("


def corrected(texts: Mapping[str, str]) -> dict[str, str]:
    """The generated parsers by file, as a C# compiler takes them."""
    return {
        file: _remainders(_ENUM_OF.sub(r"\1 (\2)));", text))
        for file, text in _without_clashes(texts).items()
    }


def _remainders(text: str) -> str:
    """Every dividend as a ``long``."""
    call = text.rfind(_MOD)
    while call >= 0:  # from the last on, so that those inside a call come before it
        start = call + len(_MOD)
        depth = 0
        for at in range(start, len(text)):
            depth += (text[at] in "([") - (text[at] in ")]")
            if text[at] == "," and depth == 0:
                text = f"{text[:start]}(long) ({text[start:at]}){text[at:]}"
                break
        call = text.rfind(_MOD, 0, call)
    return text


def _without_clashes(texts: Mapping[str, str]) -> dict[str, str]:
    """The parsers with the types renamed whose names are taken.

    A parser refers to types of the grammars that it imports, so all files are changed together.
    """
    changed = dict(texts)
    for file, text in texts.items():
        top, types, members = _declared(text)
        taken = {name for place in types for name in place}
        for name in sorted(_clashing(types, members)):
            fresh = f"{name}Type"
            while fresh in taken:
                fresh += "Type"
            taken.add(fresh)
            changed[file] = _renamed(changed[file], types, name, fresh)
            elsewhere = re.compile(rf"(?<=\b{top}\.){name}\b")
            changed = {one: elsewhere.sub(fresh, said) for one, said in changed.items()}
    return changed


_Place = tuple[str, ...]


def _declared(text: str) -> tuple[str, dict[_Place, list[str]], dict[_Place, set[str]]]:
    """The top class; by path each type with the members if it is an enum, and its properties."""
    types: dict[_Place, list[str]] = {}
    members: dict[_Place, set[str]] = {}
    open_: list[tuple[int, str]] = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if found := _TYPE.match(line):
            while open_ and open_[-1][0] >= indent:
                open_.pop()
            open_.append((indent, found[2]))
            types[tuple(name for _, name in open_)] = []
            continue
        if line.strip() == "}" and open_ and open_[-1][0] == indent:
            open_.pop()
        place = tuple(name for _, name in open_)
        if found := _MEMBER.match(line):
            types.get(place, []).append(found[1])
        elif open_ and indent == open_[-1][0] + 4 and (found := _PROPERTY.match(line)):
            members.setdefault(place, set()).add(found[1])
    top = next((place[0] for place in types), "")
    return top, types, members


def _clashing(types: dict[_Place, list[str]], members: dict[_Place, set[str]]) -> Iterator[str]:
    for place in types:
        *outer, name = place
        beside = members.get(tuple(outer), set()) if outer else set()
        if outer and name in beside | members.get(place, set()):
            yield name


def _renamed(text: str, types: dict[_Place, list[str]], name: str, fresh: str) -> str:
    """The name replaced where it is a type: a property of that name stands elsewhere."""
    as_type = re.compile(
        rf"(?<=class ){name}\b|(?<=enum ){name}\b|(?<=new ){name}(?=\()|(?<=public ){name}(?=\()"
        rf"|(?<=<){name}(?=>)|(?<=\(\(){name}(?=\) [\w(])"
        rf"|(?<![\w.]){name}(?= [A-Za-z_])"  # of a field, a property or a parameter
    )
    for member in {one for place in types if place[-1] == name for one in types[place]}:
        text = re.sub(rf"(?<![\w.]){name}(?=\.{member}\b)", fresh, text)
    return "\n".join(
        line if line.lstrip().startswith("///") else as_type.sub(fresh, line)
        for line in text.split("\n")
    )
