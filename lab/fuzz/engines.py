"""Build and start the fuzzers: atheris for readers in Python, libFuzzer for parsers in C++."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import BUILD
from conformance.process import Limits, run_program
from lab.fuzz.inputs import MAX_INPUT_BYTES
from lab.fuzz.judge import FREE_MEMORY_BYTES
from lab.fuzz.mutator import HEAD_BYTES
from walproof.parsers.build import build

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
#: Names of the targets: the readers in Python, and the generated parsers in C++.
READERS, PARSERS = "differential", "cpp"
DRIVERS = ROOT / "walproof" / "implementations"
BUILD_SECONDS, BUILD_MEMORY_BYTES = 1800, 8 << 30
#: The wall-clock limit for one input. It is generous, because the machine may be busy.
INPUT_SECONDS = 60
#: The memory limit of a fuzzer, including its corpus. A sanitizer takes 1 GiB of it.
MEMORY_MIB = 3072

_UNITS = re.compile(r"^stat::number_of_executed_units: +(\d+)", re.MULTILINE)


class NotBuilt(Exception):
    """A tool is missing, or the build failed. The message is the reason or the build output."""


@dataclass(frozen=True)
class EngineRun:
    """The settings of one fuzzer process, which fuzzes a format or a grammar."""

    subject: str
    #: Folder that contains ``seeds`` and ``artifacts``. ``artifacts`` holds the inputs that ended
    #: the process.
    scratch: Path
    corpus: Path
    #: Folder for the format's findings.
    findings: Path
    seconds: int

    def crashers(self) -> list[Path]:
        """Return the inputs that ended the process."""
        return sorted((self.scratch / "artifacts").iterdir())


@dataclass(frozen=True)
class FuzzEngine:
    """A fuzzer, with functions that build it and return its command."""

    #: Programs that the build needs.
    needs: Sequence[str]
    #: A function that builds the fuzzer in a folder.
    make: Callable[[Path], None]
    command: Callable[[Path, EngineRun], Sequence[str]]

    def build(self, target: str) -> Path:
        """Build the fuzzer; return its folder. Raises :class:`NotBuilt`."""
        missing = [program for program in self.needs if shutil.which(program) is None]
        if missing:
            raise NotBuilt(f"needs {', '.join(missing)}")
        folder = BUILD / "fuzz" / target
        folder.mkdir(parents=True, exist_ok=True)
        self.make(folder)
        return folder


def _atheris(folder: Path, run: EngineRun) -> Sequence[str]:
    worker = [sys.executable, "-m", "lab.fuzz.worker", run.subject]
    flags = _libfuzzer_flags(run, MAX_INPUT_BYTES + HEAD_BYTES)
    return [*worker, str(run.findings), str(run.scratch), *flags]


def _make_cpp(folder: Path) -> None:
    build("cpp", folder)
    sources = sorted(map(str, (folder / "package/src").glob("*.cpp")))
    flags = ["-std=c++11", "-O1", "-g1", "-w", "-DWALPROOF_COUNTS_LINES",
             "-fsanitize=fuzzer,address,undefined",
             "-fno-sanitize-recover=undefined"]  # fmt: skip
    folders = [f"-I{path}" for path in ("package", "package/src", DRIVERS / "parser-cpp")]
    ours = ["walker.cpp", str(HERE / "fuzz.cc")]
    command = ["clang++", *flags, *folders, *sources, *ours, "-o", "fuzz"]
    limits = Limits(memory_bytes=BUILD_MEMORY_BYTES)
    done = run_program(command, BUILD_SECONDS, limits=limits, cwd=folder)
    if done.returncode:
        raise NotBuilt((done.stderr or done.stdout).strip()[-4000:])


def _libfuzzer_flags(run: EngineRun, max_bytes: int) -> list[str]:
    flags = {
        "max_len": max_bytes, "len_control": 0, "timeout": INPUT_SECONDS,
        "rss_limit_mb": MEMORY_MIB, "artifact_prefix": f"{run.scratch}/artifacts/",
        "print_final_stats": 1, "reload": 0, "max_total_time": run.seconds,
    }  # fmt: skip
    folders = [str(run.corpus), f"{run.scratch}/seeds"]
    return [*(f"-{name}={value}" for name, value in flags.items()), *folders]


def _libfuzzer(folder: Path, run: EngineRun) -> Sequence[str]:
    allocation = f"-malloc_limit_mb={(FREE_MEMORY_BYTES >> 20) + 1}"
    return [str(folder / "fuzz"), allocation, *_libfuzzer_flags(run, MAX_INPUT_BYTES)]


def executed_inputs(output: str) -> int:
    """Parse the number of executed inputs from the output of a fuzzer."""
    return int((_UNITS.findall(output) or [0])[-1])


def repeat_command(folder: Path, run: EngineRun, path: Path) -> str:
    """Return the command that runs the parser fuzzer on one file."""
    return shlex.join(["env", f"WALPROOF_GRAMMAR={run.subject}", f"{folder}/fuzz", str(path)])


#: Maps each target to its fuzzer.
ENGINES = {
    PARSERS: FuzzEngine(("clang++",), _make_cpp, _libfuzzer),
    READERS: FuzzEngine((), lambda folder: None, _atheris),
}
