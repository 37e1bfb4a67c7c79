"""What isolates a program, and what it could do all the same, in words."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from conformance.isolation import landlock
from conformance.isolation.offered import Offered, offered

Isolation = Mapping[str, Sequence[str]]
"""What isolated the programs of a run, ``by``, and what they ``could`` do all the same."""


def told(isolated: bool, hides: Sequence[Path]) -> Isolation:
    """What a run here says of it: in a box that hides these places, or outside of one."""
    if isolated:
        by, open_to = held_by(offered()), could(offered(), hides)
    else:
        by, open_to = ["scratch copies"], could(Offered(), hides)
    return {"by": by + ["subreaper"] * (sys.platform == "linux"), "could": open_to}


def weakest(found: Iterable[Isolation]) -> Isolation | None:
    """What held on all machines of a run, and what a program could do on one of them."""
    each = list(found)
    if not each:
        return None
    by = [one for one in each[0]["by"] if all(one in other["by"] for other in each)]
    return {"by": by, "could": list(dict.fromkeys(one for other in each for one in other["could"]))}


def lines(isolation: Isolation) -> list[str]:
    """The one or two lines that a run ends with."""
    found = [f"isolation: {', '.join(isolation['by'])}"]
    if isolation["could"]:
        found.append(f"not held: a program could {'; '.join(isolation['could'])}")
    return found


def held_by(offer: Offered) -> list[str]:
    """What isolates a program here, in a few words each."""
    by = ["own folder"]
    if offer.namespaces:
        by.append("own namespaces")
    if offer.landlock:
        by.append(f"Landlock ABI {offer.landlock}")
    return by


def could(offer: Offered, hides: Sequence[Path], bounded: bool = False) -> list[str]:
    """What a program could do all the same; ``bounded`` if it is to read some places only."""
    abi, apart = offer.landlock, offer.namespaces
    found = []
    if hides and not apart:
        names = dict.fromkeys(f"{path.name}/" if path.is_dir() else path.name for path in hides)
        found.append(f"{'list' if abi else 'see'} {', '.join(names)}")
    if bounded and not abi:
        found.append("read your files")
    if not apart:
        found.append("change modes and times of your files" if abi else "change your files")
        if 0 < abi < landlock.CUTS:
            found.append("cut your files")
        found.append("use the network" + (", not TCP" if abi >= landlock.TCP else ""))
    if abi < landlock.SIGNALS:
        found.append("end your processes")
    return found
