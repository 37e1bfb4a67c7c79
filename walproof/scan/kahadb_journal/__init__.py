"""The bulk scanner of spec/kahadb-journal.md."""
