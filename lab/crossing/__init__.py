"""Real writers against real readers: is what one writes what another reads?"""
