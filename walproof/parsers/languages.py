"""Define the target languages of packages: naming conventions, commands and runtimes."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from conformance.kaitai.types import class_name
from conformance.process import run_program

COMPILER = "0.11.0"
GOFMT_SECONDS = 60
_COMMENT = re.compile(r"^ +\* .*$", re.MULTILINE)
_WIDE_TERM = re.compile(
    r"\b(read_bytes_term|bytes_terminate)\((&.*?\.into\(\), )?0, (.*\"UTF-16[BL]E\")"
)
_BRACKET = re.compile(r"<(?!a href=|/a>)")


@dataclass(frozen=True)
class Language:
    """A target language of the compiler, with the files and commands of its package."""

    id: str
    title: str
    target: str
    #: The package contains the parsers in this folder.
    sources: str
    #: The runtime on which the parsers depend.
    runtime: str
    #: The README lists these commands, which install the package and run its tests.
    install: str
    test: str
    #: A function that returns the file name of a grammar's parser.
    file_name: Callable[[str], str]
    #: A function that corrects the text of a generated file.
    finish: Callable[[str], str] = lambda text: text


def lower_camel(name: str) -> str:
    """Convert ``len_data`` to ``lenData``."""
    first, *parts = name.split("_")
    return first + "".join(part.capitalize() for part in parts)


def _snake(suffix: str) -> Callable[[str], str]:
    return lambda grammar: f"{grammar}{suffix}"


def _camel(suffix: str) -> Callable[[str], str]:
    return lambda grammar: f"{class_name(grammar)}{suffix}"


def _in_java_package(text: str) -> str:
    # Set the package name here, because the compiler's npm package has no option for it. Javadoc
    # parses angle brackets in comments as HTML, so escape them except in links.
    text = _COMMENT.sub(lambda line: _BRACKET.sub("&lt;", line[0]), text)
    head, line, remainder = text.partition("\n\n")
    return f"{head}\n\npackage walproof.parsers;{line}{remainder}"


def _defined(text: str) -> str:
    # Prevent two cases of undefined behaviour. First, an enum can store numbers without a name only
    # if its type is fixed. Second, if the parser throws an exception before it sets the flags of
    # later fields, the destructor reads uninitialised flags.
    text = re.sub(r"^( *)enum (\w+) \{", r"\1enum \2 : int64_t {", text, flags=re.MULTILINE)
    return re.sub(r"^( *)bool (n_\w+);", r"\1bool \2 = true;", text, flags=re.MULTILINE)


def _in_go_package(text: str) -> str:
    # Give each package the name `parsers`. The compiler also generates assignments of variables to
    # themselves, so remove them.
    text = re.sub(r"^package \w+$", "package parsers", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^\s*(tmp\d+) = \1\n", "", text, flags=re.MULTILINE)
    if shutil.which("gofmt") is None:
        return text
    with tempfile.NamedTemporaryFile("w", suffix=".go", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = run_program(["gofmt", file.name], GOFMT_SECONDS)
    return done.stdout if done.returncode == 0 else text  # go build reports the errors


def _in_rust_edition(text: str) -> str:
    # Generated code ends UTF-16 texts at the first zero byte. Make it end them at the first zero
    # code unit.
    text = _WIDE_TERM.sub(r"\1_multi(\2&[0, 0], \3", text)
    # Remove `extern crate`, which belongs to the 2015 edition. Inside a crate, `super` finds
    # modules.
    return re.sub(r"^extern crate kaitai;\n", "", text, flags=re.MULTILINE)


#: Languages by id.
LANGUAGES = {
    language.id: language
    for language in (
        Language(
            "python", "Python", "python", "walproof_parsers", "kaitaistruct 0.11",
            "pip install .", "python -m unittest discover tests",
            _snake(".py"),
        ),
        Language(
            "java", "Java", "java", "src/main/java/walproof/parsers",
            "io.kaitai:kaitai-struct-runtime 0.11",
            "mvn -q -DskipTests package dependency:copy-dependencies",
            "mvn -q test", _camel(".java"), _in_java_package,
        ),
        Language(
            "javascript", "JavaScript and TypeScript", "javascript", "lib", "kaitai-struct 0.11.0",
            "npm install", "npm test", _camel(".js"),
        ),
        Language(
            "go", "Go", "go", ".", "github.com/kaitai-io/kaitai_struct_go_runtime v0.11.0",
            "go build ./...", "go test ./...", _snake(".go"), _in_go_package,
        ),
        Language(
            "cpp", "C++11", "cpp_stl", "src", "a runtime in `kaitai/`, see below",
            "cmake -B build && cmake --build build",
            "cmake -B build && cmake --build build && ctest --test-dir build",
            _snake(".cpp"), _defined,
        ),
        Language(
            "rust", "Rust", "rust", "src", "a runtime in `kaitai/`, see below",
            "cargo build", "cargo test", _snake(".rs"), _in_rust_edition,
        ),
    )
}  # fmt: skip

#: The README contains these notes for users of each language.
NOTES = {
    "javascript": "Numbers above 2^53 are inexact in JavaScript; `exact(value)` returns the "
    "integer as a BigInt. `index.d.ts` has the declarations for TypeScript.",
    "cpp": "The official C++ runtime 0.11 is in no registry. `kaitai/` is a small runtime "
    "with the same interface; you can replace it by the official release 0.11.",
    "rust": "The crate `kaitai` in the registry is a different project, and the official runtime "
    "is not published. `kaitai/` is a small runtime with the same interface.",
    "java": "Values of `u8` above 2^63 are negative, and an enum value without a name is null.",
    "go": "A field whose `if` is false has its zero value.",
}
