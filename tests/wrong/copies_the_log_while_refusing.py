"""Wrong: refuses as it must, and leaves a copy of the log beside it."""

from breakable_writer import Log, run


class Copying(Log):
    def refuse(self) -> None:
        self.path.with_suffix(".bad").write_bytes(self.path.read_bytes())
        super().refuse()


run(Copying, "copies-the-log-while-refusing")
