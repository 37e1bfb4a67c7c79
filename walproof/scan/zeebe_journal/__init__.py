"""The bulk scanner of spec/zeebe-journal.md."""
