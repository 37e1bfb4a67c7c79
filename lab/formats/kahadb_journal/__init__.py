"""What the experiments need of spec/kahadb-journal.md."""
