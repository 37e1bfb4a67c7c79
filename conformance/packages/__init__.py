"""Package the vectors for other ecosystems, with an index of the set."""
