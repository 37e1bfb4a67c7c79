"""The bulk scanner of spec/systemd-journal.md."""

ENTERED_EVERY = None
