"""The registry of format plug-ins: one package per format.

The name of a package is the format id with underscores instead of hyphens. Each part of a package
is a module or a package, and is imported on first use.

=============  ====================================================================================
part           content
=============  ====================================================================================
``columns``    Columns that the register cannot describe.
               ``COLUMN_CLASSES`` maps field names to subclasses of
               :class:`walproof.scanners.columns.Column`.
               ``add_fields(record)`` adds the fields that are not stored in columns.
``scanner``    ``plan`` and ``scan`` (:class:`walproof.scanners.model.Scanner`), compiled by numba.
               Without this part, the executable specification reads into columns.
               ``write(path, runs)`` writes the same bytes as ``Format.write``, from columns.
               ``write_records(path, records, context)`` is ``Format.write`` with compiled hashing.
``describe``   ``describe(record)`` decodes what the chapter defines inside a record
               (:mod:`walproof.describe`). Without this part, payloads are shown as bytes.
``discovery``  ``DISCOVERY`` finds logs in directories and defines their options
               (:class:`walproof.lake.format_discovery.Discovery`). Without this part, each log is
               a file that the reader recognises.
``sweep``      ``SWEEP`` defines how to damage logs, and what readers guarantee
               (:class:`walproof.sweep.format_sweep.FormatSweep`). Without this part, a checksum
               over each payload is assumed.
=============  ====================================================================================

All parts are optional. The columns of a format come from its register (``spec/<format>.toml``).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from reference_impl.answer import NewRecord, Record
from reference_impl.formats import named
from reference_impl.register import registers

if TYPE_CHECKING:
    from walproof.lake.format_discovery import Discovery
    from walproof.scanners.columns import Column
    from walproof.scanners.model import Records, Scanner
    from walproof.sweep.format_sweep import FormatSweep

T = TypeVar("T")


@cache
def find_part(package: str, format_id: str, part: str) -> str | None:
    """Return the name of a format's module ``part`` in ``package``, or None if there is none.

    Raises ``UnknownFormat``.
    """
    of_format = f"{package}.{registers()[named(format_id).id].module}"
    name = f"{of_format}.{part}"
    if importlib.util.find_spec(of_format) is None or importlib.util.find_spec(name) is None:
        return None
    return name


@cache
def import_part(package: str, format_id: str, part: str) -> Any:
    """Import a format's module ``part`` in ``package``. Return None if there is none.

    Raises ``UnknownFormat``.
    """
    name = find_part(package, format_id, part)
    return None if name is None else importlib.import_module(name)


@dataclass(frozen=True)
class FormatPlugin:
    """The parts of one format. Each property imports its part."""

    id: str

    def has(self, part: str) -> bool:
        """Return whether the package of the format contains a part, without importing it."""
        return find_part(__name__, self.id, part) is not None

    def _object(self, part: str, name: str, default: Callable[[], T]) -> T:
        """Return an object from a part, or the result of ``default`` without this part."""
        module = import_part(__name__, self.id, part)
        return default() if module is None else cast("T", getattr(module, name))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Return the fields of a record as columns, in the order of the register."""
        from walproof.scanners.columns import columns_of

        part = import_part(__name__, self.id, "columns")
        return columns_of(registers()[self.id], getattr(part, "COLUMN_CLASSES", {}))

    @cached_property
    def adds_fields(self) -> bool:
        """Return whether records have fields that are not stored in columns."""
        return hasattr(import_part(__name__, self.id, "columns"), "add_fields")

    def add_fields(self, record: Record) -> Record:
        """Add the fields that are not stored in columns to a record that was built from columns."""
        if not self.adds_fields:
            return record
        full: Record = import_part(__name__, self.id, "columns").add_fields(record)
        return full

    @property
    def has_scanner(self) -> bool:
        """Return whether the format has a bulk scanner and numba is installed to compile it."""
        return self.has("scanner") and importlib.util.find_spec("numba") is not None

    @property
    def scanner(self) -> Scanner | None:
        """Return the bulk scanner, or None if the format has none or numba is not installed."""
        return import_part(__name__, self.id, "scanner") if self.has_scanner else None

    @property
    def write_runs(self) -> Callable[[Path, Iterable[Records]], None] | None:
        """Return the function that writes runs of records to a new log, or None.

        Only formats in which a new log can hold all records of any log have this function.
        """
        return getattr(self.scanner, "write", None)

    @property
    def write_records(
        self,
    ) -> Callable[[Path, Sequence[NewRecord], Mapping[str, Any]], None] | None:
        """Return a faster function that does the same as ``Format.write``, or None."""
        return getattr(self.scanner, "write_records", None)

    @cached_property
    def discovery(self) -> Discovery:
        """Return the rules for finding logs in directories."""
        from walproof.lake.format_discovery import Discovery

        return self._object("discovery", "DISCOVERY", Discovery)

    @cached_property
    def sweep(self) -> FormatSweep:
        """Return the format-specific part of a sweep."""
        from walproof.sweep.format_sweep import FormatSweep

        return self._object("sweep", "SWEEP", FormatSweep)


@cache
def plugin_for(format_id: str) -> FormatPlugin:
    """Return the parts of a format. Raises ``UnknownFormat``."""
    return FormatPlugin(named(format_id).id)
