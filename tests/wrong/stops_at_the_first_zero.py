"""Wrong: takes the first header of zeros for the end of the log, wherever it stands."""

from breakable_reader import Reader, serve_reader


class StopsAtTheFirstZero(Reader):
    def zeros(self, at: int) -> None:
        self.log = self.log[:at]


serve_reader(StopsAtTheFirstZero)
