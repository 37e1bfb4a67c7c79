"""Wrong: return the correct records, but report damage in every log."""

from breakable_reader import Reader, serve_reader


class CriesWolf(Reader):
    def end_of_log(self) -> None:
        self.signals.append("something may be wrong")


serve_reader(CriesWolf)
