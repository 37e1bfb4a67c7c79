"""The Kaitai grammars of ksy/ at work: compiled to Python on demand, and read as field maps."""
