"""Count the lines of each part of a format."""
