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

    #: Path of the fields, with empty brackets instead of indices, such as ``batches[]``.
    path: str
    #: Function that returns the offset and bytes of the correct checksum. Its arguments are the
    #: damaged data, the field in the undamaged log, and all fields of the undamaged log. It raises
    #: ``ValueError`` if no checksum fits.
    checksum: Callable[[bytes, Field, Sequence[Field]], tuple[int, bytes]]
    #: Function that returns whether a field of an undamaged log has a checksum.
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
