"""Run the scripts of the findings on the releases that their records name.

    python -m conformance.findings.reproduce [--fetch] [--version V] [ID …]

Ends with 1 if a script prints something else than its record says.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.findings import runtimes
from conformance.findings.record import SHOWS, Finding, load
from conformance.text import one_line

_LINE = re.compile(r"^(expected|actual): *(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Shown:
    """What a script printed."""

    expected: str
    actual: str


def shown(printed: str) -> Shown:
    """The two lines of a script's output. Raises ``ValueError``."""
    lines = dict(_LINE.findall(printed))
    if set(lines) != {"expected", "actual"}:
        raise ValueError(f"no lines 'expected:' and 'actual:' in {printed[-300:]!r}")
    return Shown(**lines)


def disagreement(finding: Finding, tried: Mapping[str, Any], said: Shown) -> str | None:
    """What a script printed otherwise than its record says, for a release that it was run on."""
    body = finding.body
    owed = body["actual"] if tried["did"] == SHOWS else tried["says"]
    if said.expected != body["expected"]:
        return f"expected: {said.expected!r}, the record has {body['expected']!r}"
    if said.actual != owed:
        return f"actual: {said.actual!r}, the record has {owed!r}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for, a line for each; 1 if any differs from its record."""
    parser = argparse.ArgumentParser(prog="python -m conformance.findings.reproduce")
    parser.add_argument("--fetch", action="store_true", help="install releases that are not here")
    parser.add_argument("--version", help="of this release only")
    parser.add_argument("id", nargs="*", help="findings; all, unless some are named")
    asked = parser.parse_args(arguments)
    wrong = 0
    for finding in load():
        if asked.id and finding.id not in asked.id:
            continue
        for tried in finding.run_on:
            if asked.version and tried["version"] != asked.version:
                continue
            name = f"{finding.id} on {tried['version']}"
            one = runtimes.release(finding, tried)
            try:
                if asked.fetch:
                    runtimes.fetch(one)
                if not one.ready:
                    print(f"- {name}: not here; --fetch installs it")
                    continue
                said = shown(runtimes.run(finding, one))
            except (runtimes.Unavailable, ValueError) as error:
                wrong += 1
                print(f"✗ {name}: {one_line(str(error))}")
                continue
            differs = disagreement(finding, tried, said)
            wrong += differs is not None
            print(f"✗ {name}: {one_line(differs)}" if differs else f"✓ {name}: {tried['did']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
