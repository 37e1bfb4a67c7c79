"""How logs of each format, and what is left of them, are told from other bytes."""
