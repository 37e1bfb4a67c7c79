"""The registry of format plug-ins: one package per format.

The name of a package is the format id with underscores instead of hyphens. Each part of a package
is a module or a package, and is imported on first use.

=================  ========  =======================================================================
part               required  content
=================  ========  =======================================================================
``columns``        yes       ``COLUMNS``: the fields of a record as columns
                             (:class:`walproof.scan.columns.Column`). ``add_fields(record)``,
                             optional: adds the fields that are not stored in columns
``scanner``        no        ``plan`` and ``scan`` (:class:`walproof.scan.model.Scanner`), compiled
                             by numba; without it, the executable specification reads into columns
``decoder``        no        decoding of payloads (:class:`walproof.decode.decoder.Decoder`);
                             without it, payloads are shown as bytes
``operations``     no        ``Operations``: the operations of a record as rows
                             (:class:`walproof.decode.operations.Operations`); without it, a record
                             is one row
``pending``        no        ``Pending``: pending items at the end of a log
                             (:class:`walproof.decode.pending.Pending`)
``discovery``      no        ``DISCOVERY``: finding logs in directories, and their options
                             (:class:`walproof.lake.format_discovery.Discovery`); without it, each
                             log is a file that the reader recognises
``system_folder``  no        ``SYSTEM_FOLDER``: directories of the system that writes the format
                             (:class:`walproof.systems.model.SystemFolder`)
``carver``         no        ``Carver``: finding logs in a disk image
                             (:class:`walproof.carve.base.Carver`); without it, carving skips
                             the format
``sweep``          no        ``SWEEP``: damaging logs, and the guarantees of readers
                             (:class:`walproof.sweep.format_sweep.FormatSweep`); without it, a
                             checksum over each payload is assumed
``byte_notes``     no        ``NOTES``: remarks on fields in the byte map
                             (:class:`walproof.inspection.note.Notes`)
=================  ========  =======================================================================
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from reference_impl.answer import Record
from reference_impl.formats import named
from reference_impl.register import registers

if TYPE_CHECKING:
    from walproof.carve.base import Carver
    from walproof.decode.decoder import Decoder
    from walproof.decode.operations import Operations
    from walproof.decode.pending import Pending
    from walproof.inspection.note import Notes
    from walproof.lake.format_discovery import Discovery
    from walproof.scan.columns import Column
    from walproof.scan.model import Scanner
    from walproof.sweep.format_sweep import FormatSweep
    from walproof.systems.model import SystemFolder

T = TypeVar("T")


@cache
def find_part(package: str, format_id: str, part: str) -> str | None:
    """Return the name of the module ``part`` of a format in ``package``; None if there is none.

    Raises ``UnknownFormat``.
    """
    of_format = f"{package}.{registers()[named(format_id).id].module}"
    name = f"{of_format}.{part}"
    if importlib.util.find_spec(of_format) is None or importlib.util.find_spec(name) is None:
        return None
    return name


@cache
def import_part(package: str, format_id: str, part: str) -> Any:
    """Import the module ``part`` of a format in ``package``; return None if there is none.

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
        """Return an object of a part; the result of ``default`` if the format lacks the part."""
        module = import_part(__name__, self.id, part)
        return default() if module is None else cast("T", getattr(module, name))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Return the fields of a record as columns, in order."""
        if not self.has("columns"):
            raise ModuleNotFoundError(f"{__name__}: {self.id} lacks the part columns")
        return self._object("columns", "COLUMNS", tuple)

    @cached_property
    def adds_fields(self) -> bool:
        """Return whether records have fields that are not stored in columns."""
        return hasattr(import_part(__name__, self.id, "columns"), "add_fields")

    def add_fields(self, record: Record) -> Record:
        """Return a record built from columns, with the fields that are not stored in columns."""
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
        """Return the bulk scanner; None if the format has none or numba is not installed."""
        return import_part(__name__, self.id, "scanner") if self.has_scanner else None

    @cached_property
    def decoder(self) -> Decoder:
        """Return the payload decoder."""
        from walproof.decode.decoder import NoDecoder

        decoder: Decoder = import_part(__name__, self.id, "decoder") or NoDecoder()
        return decoder

    @cached_property
    def operations(self) -> type[Operations]:
        """Return the class that converts decoded records to rows."""
        from walproof.decode.operations import Operations

        return self._object("operations", "Operations", lambda: Operations)

    @cached_property
    def pending(self) -> type[Pending] | None:
        """Return the class that tracks pending items; None for formats without them."""
        return self._object("pending", "Pending", lambda: None)

    @cached_property
    def discovery(self) -> Discovery:
        """Return the rules for finding logs in directories."""
        from walproof.lake.format_discovery import Discovery

        return self._object("discovery", "DISCOVERY", Discovery)

    @cached_property
    def system_folder(self) -> SystemFolder:
        """Return the reader for directories of the system that writes the format."""
        from walproof.systems.model import SystemFolder

        return self._object("system_folder", "SYSTEM_FOLDER", SystemFolder)

    @cached_property
    def carver(self) -> type[Carver] | None:
        """Return the class that finds logs in a disk image; None if the format has none."""
        return self._object("carver", "Carver", lambda: None)

    @cached_property
    def sweep(self) -> FormatSweep:
        """Return the ways to damage a log and the guarantees that readers can give."""
        from walproof.sweep.format_sweep import FormatSweep

        return self._object("sweep", "SWEEP", FormatSweep)

    @cached_property
    def byte_notes(self) -> Notes:
        """Return the remarks on fields in the byte map."""
        from walproof.inspection.note import NoNotes

        return self._object("byte_notes", "NOTES", NoNotes)


@cache
def plugin_for(format_id: str) -> FormatPlugin:
    """Return the parts of a format. Raises ``UnknownFormat``."""
    return FormatPlugin(named(format_id).id)
