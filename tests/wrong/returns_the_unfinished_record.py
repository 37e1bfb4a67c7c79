"""Wrong: return the first part of a record whose end was never written."""

from breakable_reader import HEADER_SIZE, Reader, serve_reader


class ReturnsTheUnfinishedRecord(Reader):
    def torn(self, at: int) -> None:
        self.open = (self.open or b"") + self.log[at + HEADER_SIZE :]

    def end_of_log(self) -> None:
        if self.open is not None:
            self.release(self.open)


serve_reader(ReturnsTheUnfinishedRecord)
