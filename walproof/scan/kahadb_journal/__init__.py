"""The bulk scanner of spec/kahadb-journal.md."""

ENTERED_EVERY = None
