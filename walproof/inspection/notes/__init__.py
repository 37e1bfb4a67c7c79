"""What the inspector says about single fields, one module for each format that has notes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from walproof.inspection.note import NoNotes, Notes


def notes_of(format: str) -> Notes:
    """The notes of a format: ``NOTES`` of the module here that is named like it, if any."""
    name = f"{__name__}.{format.replace('-', '_')}"
    if find_spec(name) is None:
        return NoNotes()
    notes: Notes = import_module(name).NOTES
    return notes
