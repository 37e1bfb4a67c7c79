"""The languages that packages are made for: how each names things, and what its packages need."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from conformance.kaitai.types import class_name

COMPILER = "0.11.0"


@dataclass(frozen=True)
class Language:
    """One target of the compiler.

    ``sources`` is where its packages keep the parsers, ``runtime`` what they depend on, ``install``
    and ``example`` are the commands for the README. ``file_name`` gives the file of a grammar's
    parser, ``finish`` corrects the text of a generated file. ``driver`` names the row of the matrix
    that proves the parsers; None if none does.
    """

    id: str
    title: str
    target: str
    sources: str
    runtime: str
    install: str
    example: str
    file_name: Callable[[str], str]
    driver: str | None = None
    finish: Callable[[str], str] = str


def _snake(suffix: str) -> Callable[[str], str]:
    return lambda grammar: f"{grammar}{suffix}"


def _camel(suffix: str) -> Callable[[str], str]:
    return lambda grammar: f"{class_name(grammar)}{suffix}"


def _in_java_package(text: str) -> str:
    # The npm package of the compiler has no option for it.
    head, line, rest = text.partition("\n\n")
    return f"{head}\n\npackage walproof.parsers;{line}{rest}"


def _with_wide_enums(text: str) -> str:
    # A number without a name is no value of an enum whose type is not fixed: undefined behaviour.
    return re.sub(r"^( *)enum (\w+) \{", r"\1enum \2 : int64_t {", text, flags=re.MULTILINE)


def _without_std_import(text: str) -> str:
    # `extern crate` is from the 2015 edition; `super` finds the modules of one crate without it.
    return re.sub(r"^extern crate kaitai;\n", "", text, flags=re.MULTILINE)


LANGUAGES = {
    language.id: language
    for language in (
        Language(
            "python", "Python", "python", "walproof_parsers", "kaitaistruct 0.11",
            "pip install .", "python example.py", _snake(".py"), "parser-python",
        ),
        Language(
            "java", "Java", "java", "src/main/java/walproof/parsers",
            "io.kaitai:kaitai-struct-runtime 0.11", "mvn -q package dependency:copy-dependencies",
            "java -cp 'target/*:target/dependency/*' walproof.parsers.Example",
            _camel(".java"), "parser-java", _in_java_package,
        ),
        Language(
            "javascript", "JavaScript and TypeScript", "javascript", "lib", "kaitai-struct 0.11.0",
            "npm install", "node example.js", _camel(".js"), "parser-javascript",
        ),
        Language(
            "go", "Go", "go", ".", "github.com/kaitai-io/kaitai_struct_go_runtime v0.11.0",
            "go build ./...", "go run ./example", _snake(".go"), "parser-go",
        ),
        Language(
            "cpp", "C++11", "cpp_stl", "src", "a runtime in `kaitai/`, see below",
            "cmake -B build && cmake --build build", "build/example", _snake(".cpp"), "parser-cpp",
            _with_wide_enums,
        ),
        Language(
            "rust", "Rust", "rust", "src", "a runtime in `kaitai/`, see below",
            "cargo build", "cargo run --example records", _snake(".rs"), "parser-rust",
            _without_std_import,
        ),
        Language(
            "csharp", "C#", "csharp", "Parsers", "KaitaiStruct.Runtime.CSharp 0.11.0",
            "dotnet build", "dotnet run", _camel(".cs"),
        ),
        Language(
            "ruby", "Ruby", "ruby", "lib", "gem kaitai-struct 0.11",
            "bundle install", "bundle exec ruby example.rb", _snake(".rb"),
        ),
        Language(
            "perl", "Perl", "perl", "lib", "IO::KaitaiStruct 0.011",
            "cpanm --installdeps .", "perl -Ilib example.pl", _camel(".pm"),
        ),
        Language(
            "php", "PHP", "php", "src", "kaitai-io/kaitai_struct_php_runtime 0.11",
            "composer install", "php example.php", _camel(".php"),
        ),
        Language(
            "lua", "Lua 5.3 or later", "lua", ".", "kaitai_struct_lua_runtime 0.11, see below",
            "git clone --branch 0.11 "
            "https://github.com/kaitai-io/kaitai_struct_lua_runtime runtime",
            "LUA_PATH='runtime/?.lua;./?.lua' lua example.lua", _snake(".lua"),
        ),
    )
}  # fmt: skip
"""The languages by id. Their commands are for a shell in the package's folder."""

NOTES = {
    "javascript": "Numbers above 2^53 are inexact in JavaScript; `exact(value)` gives the integer "
    "as a BigInt. TypeScript finds the declarations in `index.d.ts`.",
    "cpp": "The official C++ runtime is in no registry. `kaitai/` is a small one of this project "
    "with the same interface; the official one, release 0.11, can take its place.",
    "rust": "The crate `kaitai` of the registry is another project, and the official runtime "
    "is not there. `kaitai/` is a small one of this project with the same interface.",
    "java": "Values of `u8` above 2^63 are negative, and an enum value without a name is null.",
    "go": "A field whose `if` is false holds its zero value.",
    "lua": "The runtime is in no registry; it is taken from its repository.",
    "php": "Values of `u8` above 2^63 are negative.",
}
"""What a user of one language must know, for the README."""
