"""The bulk scanner of spec/zeebe-journal.md."""

ENTERED_EVERY = None
