"""The bulk scanner of spec/systemd-journal.md."""
