"""Build and start the fuzzers: atheris for Python, and one fuzzer for each compiled language."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import BUILD
from conformance.process import Limits, run_program
from conformance.saving import save
from lab.fuzz.inputs import MAX_INPUT_BYTES
from lab.fuzz.judge import FREE_MEMORY_BYTES
from lab.fuzz.mutator import HEAD_BYTES
from walproof.parsers.build import build

HERE = Path(__file__).resolve().parent / "compiled"
ROOT = HERE.parents[2]
DRIVERS = ROOT / "walproof" / "implementations"
BUILD_SECONDS, BUILD_MEMORY_BYTES = 1800, 8 << 30
#: The wall-clock limit for one input. It is long, because the machine may be busy.
INPUT_SECONDS = 60
#: The memory limit of a fuzzer with its corpus. A sanitizer needs 1 GiB of this memory.
MEMORY_MIB = 3072

#: The flags with which a stable Rust compiler makes programs count lines for libFuzzer.
COVERAGE = (
    "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    " -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
    " -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1"
)
GO_CRASHERS = "package/driver/testdata/fuzz/FuzzParser"
_UNITS = re.compile(r"^stat::number_of_executed_units: +(\d+)", re.MULTILINE)


class NotBuilt(Exception):
    """A tool is missing or the build failed; the message is the reason or the output."""


@dataclass(frozen=True)
class Run:
    """One process of a fuzzer, on a format or on a grammar."""

    subject: str
    #: Folder with the folders ``seeds`` and ``artifacts``. ``artifacts`` contains the inputs that
    #: ended the process.
    scratch: Path
    corpus: Path
    #: Folder of the findings of the format.
    findings: Path
    seconds: int

    def crashers(self) -> list[Path]:
        """Return the inputs that ended a process."""
        return sorted((self.scratch / "artifacts").iterdir())


@dataclass(frozen=True)
class Engine:
    """A fuzzer."""

    #: Programs that the build needs.
    needs: Sequence[str]
    #: Build the fuzzer in a folder.
    make: Callable[[Path], None]
    command: Callable[[Path, Run], Sequence[str]]
    #: Pattern for the number of inputs in the output; the last match counts.
    executed: re.Pattern[str] = _UNITS
    variables: Callable[[Path, Run], Mapping[str, str]] = lambda folder, run: {
        "WALPROOF_GRAMMAR": run.subject
    }

    def build(self, target: str) -> Path:
        """Build the fuzzer; return its folder. Raises :class:`NotBuilt`."""
        missing = [program for program in self.needs if shutil.which(program) is None]
        if missing:
            raise NotBuilt(f"needs {', '.join(missing)}")
        folder = BUILD / "fuzz" / target
        folder.mkdir(parents=True, exist_ok=True)
        self.make(folder)
        return folder


def _atheris(folder: Path, run: Run) -> Sequence[str]:
    worker = [sys.executable, "-m", "lab.fuzz.worker", run.subject]
    flags = _libfuzzer_flags(run, MAX_INPUT_BYTES + HEAD_BYTES)
    return [*worker, str(run.findings), str(run.scratch), *flags]


#: The fuzzer of the readers in Python.
DIFFERENTIAL = Engine((), lambda folder: None, _atheris, variables=lambda folder, run: {})


def _run_tool(command: Sequence[str], folder: Path, **variables: str) -> None:
    limits = Limits(memory_bytes=BUILD_MEMORY_BYTES)
    done = run_program(command, BUILD_SECONDS, variables=variables, limits=limits, cwd=folder)
    if done.returncode:
        raise NotBuilt((done.stderr or done.stdout).strip()[-4000:])


def _make_cpp(folder: Path) -> None:
    build("cpp", folder)
    sources = sorted(map(str, (folder / "package/src").glob("*.cpp")))
    flags = ["-std=c++11", "-O1", "-g1", "-w", "-DWALPROOF_COUNTS_LINES",
             "-fsanitize=fuzzer,address,undefined",
             "-fno-sanitize-recover=undefined"]  # fmt: skip
    folders = [f"-I{path}" for path in ("package", "package/src", DRIVERS / "parser-cpp")]
    ours = ["walker.cpp", str(HERE / "cpp/fuzz.cc")]
    _run_tool(["clang++", *flags, *folders, *sources, *ours, "-o", "fuzz"], folder)


def _make_go(folder: Path) -> None:
    build("go", folder)
    driver = folder / "package/driver"
    driver.mkdir(exist_ok=True)
    drivers = (DRIVERS / "parser-go").glob("*.go")
    for source in (*drivers, HERE / "go/fuzz_test.go", folder / "walker.go"):
        save(driver / source.name, source.read_bytes(), sync=False)
    _run_tool(["go", "vet", "./driver"], folder / "package", GOTOOLCHAIN="local")


def _make_rust(folder: Path) -> None:
    build("rust", folder)
    kit = ROOT / "conformance/adapterkit/rust"
    shutil.copytree(kit, folder / "adapterkit", dirs_exist_ok=True)
    shutil.copytree(HERE / "rust", folder / "crate", dirs_exist_ok=True)
    for source in (folder / "walker.rs", DRIVERS / "parser-rust/src/listing.rs"):
        save(folder / "crate/src" / source.name, source.read_bytes(), sync=False)
    # With --target, cargo does not apply the coverage flags to build scripts.
    host = run_program(["rustc", "-vV"], BUILD_SECONDS).stdout
    target = next(line[6:] for line in host.splitlines() if line.startswith("host: "))
    command = ["cargo", "build", "-q", "--release", "--jobs", "2", "--target", target]
    folders = ["--manifest-path", "crate/Cargo.toml", "--target-dir", "target"]
    _run_tool([*command, *folders], folder, RUSTFLAGS=COVERAGE)
    save(folder / "fuzz", (folder / f"target/{target}/release/fuzz").read_bytes(), sync=False)
    (folder / "fuzz").chmod(0o755)


def _libfuzzer_flags(run: Run, max_bytes: int) -> list[str]:
    flags = {
        "max_len": max_bytes, "len_control": 0, "timeout": INPUT_SECONDS,
        "rss_limit_mb": MEMORY_MIB, "artifact_prefix": f"{run.scratch}/artifacts/",
        "print_final_stats": 1, "reload": 0, "max_total_time": run.seconds,
    }  # fmt: skip
    folders = [str(run.corpus), f"{run.scratch}/seeds"]
    return [*(f"-{name}={value}" for name, value in flags.items()), *folders]


def _libfuzzer(folder: Path, run: Run) -> Sequence[str]:
    allocation = f"-malloc_limit_mb={(FREE_MEMORY_BYTES >> 20) + 1}"
    return [str(folder / "fuzz"), allocation, *_libfuzzer_flags(run, MAX_INPUT_BYTES)]


def _go_test(folder: Path, run: Run) -> Sequence[str]:
    # go test writes crashing inputs below the package, so ``artifacts`` links to that folder.
    crashers, artifacts = folder / GO_CRASHERS, run.scratch / "artifacts"
    shutil.rmtree(crashers, ignore_errors=True)
    crashers.mkdir(parents=True)
    if not artifacts.is_symlink():
        artifacts.rmdir()
        artifacts.symlink_to(crashers)
    command = ["go", "test", "-C", str(folder / "package"), "./driver", "-run", "^$"]
    return [*command, "-fuzz", "FuzzParser", "-fuzztime", f"{run.seconds}s", "-parallel", "1"]


def _variables_go(folder: Path, run: Run) -> Mapping[str, str]:
    return {
        "WALPROOF_GRAMMAR": run.subject,
        "WALPROOF_MODELS": str(folder / "models.json"),
        "WALPROOF_SEEDS": f"{run.scratch}/seeds",
        "GOTOOLCHAIN": "local",
    }


def repeat_command(target: str, folder: Path, run: Run, path: Path) -> str:
    """Return the command that runs a compiled fuzzer on one file."""
    variables = [f"WALPROOF_GRAMMAR={run.subject}"]
    if target != "go":
        return shlex.join(["env", *variables, f"{folder}/fuzz", str(path)])
    copy = ["install", "-D", str(path), f"{folder}/{GO_CRASHERS}/{path.name}"]
    variables.append(f"WALPROOF_MODELS={folder}/models.json")
    test = ["go", "test", "-C", f"{folder}/package", "./driver", "-run", f"FuzzParser/{path.name}"]
    return f"{shlex.join(copy)} && {shlex.join(['env', *variables, *test])}"


#: The fuzzers of the compiled languages.
COMPILED = {
    "cpp": Engine(("clang++",), _make_cpp, _libfuzzer),
    "go": Engine(("go",), _make_go, _go_test, re.compile(r"execs: (\d+)"), _variables_go),
    "rust": Engine(("cargo", "rustc", "c++"), _make_rust, _libfuzzer),
}
