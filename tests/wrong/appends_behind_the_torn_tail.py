"""Wrong: append at the end of the file, after any torn tail, as LevelDB does."""

from breakable_writer import Log, run


class Appending(Log):
    def end(self) -> int | None:
        return self.path.stat().st_size


run(Appending, "appends-behind-the-torn-tail")
