"""The interface hash: changed by what other files may rely on, and by nothing else, in every language."""

from __future__ import annotations

import pytest

from everdex.parse.interface import interface_of
from everdex.parse.interface_model import Interface

# path, before, the same interface written otherwise, another interface
_CASES = {
    "python": (
        "a.py",
        "import os\nMAX = 5\nclass A(B):\n    def f(self, a, b=', '):\n        return 1\ndef _g(x): pass\n",
        "MAX = 6  # more\n\n\ndef _g(x, y): return 2\n\n"
        "class A(B):\n    '''Doc.'''\n    def f(\n        self, a,  # first\n        b=', ',\n    ):\n"
        "        return 2\n",
        "import os\nMAX = 5\nclass A(B):\n    def f(self, a, b=','):\n        return 1\ndef _g(x): pass\n",
    ),
    "typescript": (
        "a.ts",
        "export const f = (a: string): number => { return 1 }\nfunction hidden(a) {}\nexport type T = { a: string }\n",
        "export type T = {\n  a: string // it\n}\nfunction hidden(a, b) { }\n"
        "export const f = (a : string) : number => { return 2 }\n",
        "export const f = (a: string): string => { return 1 }\nfunction hidden(a) {}\nexport type T = { a: string }\n",
    ),
    "javascript": (
        "a.js",
        "export { kept as other };\nfunction kept(a) { return a }\nfunction hidden(a) {}\n",
        "/* c */ function hidden(a, b) {}\nfunction kept(a) { return -a }\nexport { kept as other };\n",
        "export { kept as another };\nfunction kept(a) { return a }\nfunction hidden(a) {}\n",
    ),
    "go": (
        "a.go",
        "package a\nfunc Do(a int) error { return nil }\nfunc helper() {}\ntype S struct {\n\tX int\n\ty int\n}\n",
        "package a\n// S is\ntype S struct {\n\ty string\n\tX   int\n}\nfunc helper(a int) {}\n"
        "func Do(a int) error {\n\treturn e\n}\n",
        "package a\nfunc Do(a int64) error { return nil }\nfunc helper() {}\ntype S struct {\n\tX int\n\ty int\n}\n",
    ),
    "rust": (
        "a.rs",
        "pub fn f<'a>(x: &'a str) -> i32 { 1 }\nfn g() {}\npub enum E { A(i32), B }\n",
        "fn g(a: i32) {}\n/// doc\npub enum E {\n    A(i32),\n    B,\n}\npub fn f<'a>(x: &'a str) -> i32 {\n    2\n}\n",
        "pub fn f<'a>(x: &'a str) -> i32 { 1 }\nfn g() {}\npub enum E { A(i64), B }\n",
    ),
    "java": (
        "A.java",
        "public class A { private int x = 1; public String f(int a) { return null; } }\n",
        "public class A {\n  // here\n  public String f( int a ) { return \"\"; }\n  private long y = 2;\n}\n",
        "public class A { private int x = 1; public String f(long a) { return null; } }\n",
    ),
    "c": (
        "a.c",
        '#define MAX(a,b) ((a)>(b))\nint f(const char *x);\nstatic int g(int a) { return a; }\n',
        '#define MAX(a,b) ((b)<(a))\nstatic int g(void) { return 1; }\nint f( const char* x ); /* it */\n',
        '#define MAX(a,b) ((a)>(b))\nint f(char *x);\nstatic int g(int a) { return a; }\n',
    ),
    "kotlin": (
        "a.kt",
        "class A(val x: Int) {\n  fun f(a: Int): Int = a + 1\n  private fun g() {}\n}\n",
        "class A( val x: Int ) {\n  private fun g(a: Int) {}\n\n  fun f(a: Int): Int = a + 2 // two\n}\n",
        "class A(val x: Int) {\n  fun f(a: Int): Long = a + 1\n  private fun g() {}\n}\n",
    ),
    "ruby": (
        "a.rb",
        "class A < B\n  def f(a, b = 1)\n    a\n  end\nend\n",
        "class A < B\n  # doc\n  def f(a, b = 1)\n    b\n  end\nend\n",
        "class A < B\n  def f(a, b = 2)\n    a\n  end\nend\n",
    ),
    "php": (
        "a.php",
        "<?php\nclass A { public function f(int $a): string { return ''; } private $x = 1; }\n",
        "<?php\nclass A {\n  private $y = 2;\n  public function f( int $a ) : string { return 'b'; }\n}\n",
        "<?php\nclass A { public function f(int $a): int { return ''; } private $x = 1; }\n",
    ),
    "elixir": (
        "a.ex",
        "defmodule A do\n  def f(a), do: a\n  defp g(a), do: a\nend\n",
        "defmodule A do\n  defp g(a, b), do: a\n  def f(a), do: a + 1\nend\n",
        "defmodule A do\n  def f(a, b), do: a\n  defp g(a), do: a\nend\n",
    ),
    "swift": (
        "a.swift",
        "public class A {\n  public func f(_ a: Int = 1) -> Int { return 1 }\n  private var x = 1\n}\n",
        "public class A {\n  private var y = 2\n  public func f(_ a: Int = 1) -> Int { 3 }\n}\n",
        "public class A {\n  public func f(_ a: Int = 2) -> Int { return 1 }\n  private var x = 1\n}\n",
    ),
    "markdown": ("a.md", "# One\ntext\n", "# One\nother text\n", "# Two\ntext\n"),
}


def _interface(path: str, text: str) -> Interface:
    found = interface_of(path, text.encode())
    assert found is not None
    return found


@pytest.mark.parametrize("language", _CASES)
def test_only_what_others_may_rely_on_changes_the_hash(language: str) -> None:
    """Bodies, values, comments, spacing, order and private names keep the hash; a signature changes it."""
    path, before, same, other = _CASES[language]
    assert _interface(path, before).hash == _interface(path, same).hash
    assert _interface(path, before).hash != _interface(path, other).hash


def test_private_definitions_are_listed_apart() -> None:
    """Somebody may use one all the same, so their signatures are known; members of a private class are private."""
    found = _interface("a.py", "class _H:\n    def open(self): pass\ndef f(): pass\n")
    assert [entry.name for entry in found.public] == ["f"]
    assert [entry.name for entry in found.private] == ["_H", "_H.open"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("p/__init__.py", "from .a import f, g\n", "from .a import f\n"),
        ("m.py", "from .a import f\n__all__ = ['f']\n", "from .b import f\n__all__ = ['f']\n"),
        ("m.py", "from .a import f as f\n", "from .b import f as f\n"),
        ("m.py", "from .a import *\n", "from .b import *\n"),
        ("m.ts", "export * from './a';\n", "export * from './b';\n"),
        ("m.ts", "export { f } from './a';\n", "export { g as f } from './a';\n"),
        ("m.rs", "pub use a::b;\n", "pub use a::c;\n"),
        ("m.h", '#include "a.h"\n', '#include "b.h"\n'),
    ],
)
def test_what_a_file_passes_on_is_part_of_it(path: str, before: str, after: str) -> None:
    """Who imports from a package relies on its re-exports."""
    assert _interface(path, before).hash != _interface(path, after).hash


def test_an_ordinary_import_is_not() -> None:
    """What a module imports for itself is nobody else's business."""
    assert _interface("m.py", "import os\n").hash == _interface("m.py", "import sys\n").hash


def test_syntax_errors_are_said() -> None:
    """An interface that may be incomplete says so."""
    assert _interface("m.py", "def f(:\n  pass\n").partial
    assert not _interface("m.py", "def f(): pass\n").partial


def test_a_file_without_symbols_has_no_interface() -> None:
    """Where nothing tells interface from content there is none, rather than an empty one."""
    assert interface_of("notes.txt", b"plain text\n") is None
