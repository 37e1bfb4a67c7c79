"""Wrong: a FIRST without its LAST is glued to the whole record that follows it."""

from breakable_reader import FULL, Reader, serve_reader


class JoinsFirstWithFull(Reader):
    def fragment(self, kind: int, data: bytes) -> None:
        if kind == FULL and self.open:
            kind, data = FULL, self.open + data
            self.open = None
        super().fragment(kind, data)


serve_reader(JoinsFirstWithFull)
