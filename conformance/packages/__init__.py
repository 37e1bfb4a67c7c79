"""The vectors as a dependency: an index of the set, and packages of it for other ecosystems."""
