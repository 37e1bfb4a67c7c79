"""The units that a checksum covers, by format."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformance.kaitai.field_map import Field
from reference_impl.register import registers


@dataclass(frozen=True)
class Unit:
    """A type of field that one checksum covers."""

    #: Path of the fields, without indices.
    path: str
    #: Return the offset and bytes of the correct checksum, given the damaged data, the field in the
    #: undamaged log, and all fields of the undamaged log. Raises ``ValueError`` if none fits.
    checksum: Callable[[bytes, Field, Sequence[Field]], tuple[int, bytes]]
    #: Return whether a field of an undamaged log has a checksum.
    is_present: Callable[[bytes, Field], bool] = lambda data, field: True


@functools.cache
def units_of(format: str) -> Sequence[Unit]:
    """Return the units of a format, as ``checksums`` in the package of its recipes lists them."""
    if format not in registers():
        return ()
    name = f"conformance.recipes.{registers()[format].module}.checksums"
    if importlib.util.find_spec(name) is None:
        return ()
    units: Sequence[Unit] = importlib.import_module(name).UNITS
    return units


def without_indices(path: str) -> str:
    """Return a field path without its indices: ``blocks[].records[].header.type``."""
    return re.sub(r"\[\d+\]", "[]", path)
