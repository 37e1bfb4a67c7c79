"""The Kaitai grammars of ksy/, compiled to Python on demand and read as field maps."""
