"""What the experiments need of spec/zeebe-journal.md."""
