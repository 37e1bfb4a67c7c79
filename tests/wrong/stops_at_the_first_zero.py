"""Wrong: treat the first header of zeros as the end of the log."""

from breakable_reader import Reader, serve_reader


class StopsAtTheFirstZero(Reader):
    def zeros(self, at: int) -> None:
        self.log = self.log[:at]


serve_reader(StopsAtTheFirstZero)
