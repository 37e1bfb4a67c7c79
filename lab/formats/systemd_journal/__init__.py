"""What the experiments need of spec/systemd-journal.md."""
