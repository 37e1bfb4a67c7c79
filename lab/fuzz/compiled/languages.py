"""The fuzzers of the compiled languages: how to build and start each."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.process import Limits, run_program
from conformance.saving import save
from lab.fuzz.inputs import MAX_INPUT_BYTES
from lab.fuzz.judge import FREE_MEMORY_BYTES
from walproof.parsers.build import build

HERE = Path(__file__).resolve().parent
DRIVERS = HERE.parents[2] / "walproof" / "implementations"
BUILD_SECONDS, BUILD_MEMORY_BYTES = 1800, 8 << 30
INPUT_SECONDS, MEMORY_MIB = 60, 2048
"""Wall-clock time for one input, where the machine has other work too; memory of the whole process,
of which a sanitizer takes a gibibyte."""

#: Makes a stable Rust count its lines for libFuzzer.
COVERAGE = (
    "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    " -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
    " -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1"
)


class NotBuilt(Exception):
    """A tool is missing, or the build fails; the message is that of the tool."""


@dataclass(frozen=True)
class Run:
    """One grammar for so long: seeds and corpus are folders of files, artifacts what ended it."""

    grammar: str
    seeds: Path
    corpus: Path
    artifacts: Path
    seconds: int
    inputs: int
    seed: int


@dataclass(frozen=True)
class Language:
    """A language with its fuzzer.

    ``needs`` lists the required programs. ``make`` is the build command, and ``command`` runs the
    fuzzer. ``executed`` is a pattern for the number of inputs in the output; the last match counts.
    """

    id: str
    needs: Sequence[str]
    make: Callable[[Path], None]
    command: Callable[[Path, Run], Sequence[str]]
    executed: re.Pattern[str]
    environment: Callable[[Path, Run], Mapping[str, str]]

    @property
    def missing(self) -> list[str]:
        """The programs that are not here."""
        return [program for program in self.needs if shutil.which(program) is None]


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
    sources = [
        *(DRIVERS / "parser-go").glob("*.go"),
        HERE / "go/fuzz_test.go",
        folder / "walker.go",
    ]
    for source in sources:
        save(driver / source.name, source.read_bytes(), sync=False)
    _run_tool(["go", "vet", "./driver"], folder / "package", GOTOOLCHAIN="local")


def _make_rust(folder: Path) -> None:
    build("rust", folder)
    kit = HERE.parents[2] / "conformance/adapterkit/rust"
    shutil.copytree(kit, folder / "adapterkit", dirs_exist_ok=True)
    shutil.copytree(HERE / "rust", folder / "crate", dirs_exist_ok=True)
    for source in (folder / "walker.rs", DRIVERS / "parser-rust/src/listing.rs"):
        save(folder / "crate/src" / source.name, source.read_bytes(), sync=False)
    # With a target named, what runs while building is not counted.
    host = run_program(["rustc", "-vV"], BUILD_SECONDS).stdout
    target = next(line[6:] for line in host.splitlines() if line.startswith("host: "))
    command = ["cargo", "build", "-q", "--release", "--jobs", "2", "--target", target]
    folders = ["--manifest-path", "crate/Cargo.toml", "--target-dir", "target"]
    _run_tool([*command, *folders], folder, RUSTFLAGS=COVERAGE)
    save(folder / "fuzz", (folder / f"target/{target}/release/fuzz").read_bytes(), sync=False)
    (folder / "fuzz").chmod(0o755)


def _libfuzzer(folder: Path, run: Run) -> Sequence[str]:
    flags = {
        "seed": run.seed, "max_len": MAX_INPUT_BYTES, "len_control": 0, "timeout": INPUT_SECONDS,
        "rss_limit_mb": MEMORY_MIB, "malloc_limit_mb": (FREE_MEMORY_BYTES >> 20) + 1,
        "print_final_stats": 1, "artifact_prefix": f"{run.artifacts}/", "reload": 0,
    }  # fmt: skip
    if run.inputs:
        flags["runs"] = run.inputs
    if run.seconds:
        flags["max_total_time"] = run.seconds
    options = [f"-{name}={value}" for name, value in flags.items()]
    return [str(folder / "fuzz"), *options, str(run.corpus), str(run.seeds)]


def _go_test(folder: Path, run: Run) -> Sequence[str]:
    budget = f"{run.inputs}x" if run.inputs else f"{run.seconds}s"
    command = ["go", "test", "-C", str(folder / "package"), "./driver", "-run", "^$"]
    return [*command, "-fuzz", "FuzzParser", "-fuzztime", budget, "-parallel", "1"]


def _variables(folder: Path, run: Run) -> Mapping[str, str]:
    return {"WALPROOF_GRAMMAR": run.grammar}


def _variables_go(folder: Path, run: Run) -> Mapping[str, str]:
    return {
        "WALPROOF_GRAMMAR": run.grammar,
        "WALPROOF_MODELS": str(folder / "models.json"),
        "WALPROOF_SEEDS": str(run.seeds),
        "GOTOOLCHAIN": "local",
    }


_UNITS = re.compile(r"^stat::number_of_executed_units: +(\d+)", re.MULTILINE)

LANGUAGES = {
    language.id: language
    for language in (
        Language("cpp", ("clang++",), _make_cpp, _libfuzzer, _UNITS, _variables),
        Language("go", ("go",), _make_go, _go_test, re.compile(r"execs: (\d+)"), _variables_go),
        Language("rust", ("cargo", "rustc", "c++"), _make_rust, _libfuzzer, _UNITS, _variables),
    )
}
