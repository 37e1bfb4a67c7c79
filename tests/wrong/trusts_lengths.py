"""Wrong: believes the length field, and reads on across the end of the block."""

from breakable_reader import Reader, serve_reader


class TrustsLengths(Reader):
    def fits(self, end: int, block_end: int) -> bool:
        return True


serve_reader(TrustsLengths)
