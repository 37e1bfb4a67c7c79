"""What isolates a program, and what it could do all the same, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from conformance.isolation import landlock
from conformance.isolation.offered import Offered


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
