"""Wrong: goes on at the size of the file, whatever its tail holds, as LevelDB does."""

from breakable_writer import Log, run


class Appending(Log):
    def end(self) -> int | None:
        return self.path.stat().st_size


run(Appending, "appends-behind-the-torn-tail")
