"""The tracers of benchmarks/callgraph: each sees every call of a small program, and by whom it was made."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.trees import tree

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "callgraph"
MAIN = ""

RUBY = """\
class Store
  def initialize(name)
    @name = clean(name)
  end

  def clean(name) = name.strip

  def each
    yield @name
  end
end

def shown(store)
  block = proc do |name|
    marked(name)
  end
  store.each(&block)
end

def marked(text)
  "<#{text}>"
end

shown(Store.new(" a "))
"""
PHP = """\
<?php
class Store
{
    public function __construct(private string $name)
    {
        $this->name = $this->clean($name);
    }

    public function clean(string $name): string
    {
        return trim($name);
    }
}

function marked($text)
{
    return "<$text>";
}

function shown(Store $store)
{
    return array_map('marked', [$store->clean("a")]);
}

shown(new Store(" a "));
"""
LUA = """\
local Store = {}
Store.__index = Store

function Store.new(name)
  local self = setmetatable({}, Store)
  self.name = self:clean(name)
  return self
end

function Store:clean(name)
  return name
end

local function marked(text)
  return "<" .. text .. ">"
end

local function shown(store)
  local ok, text = pcall(marked, store.name)
  return marked(text)
end

shown(Store.new(" a "))
"""
BASH = """\
clean() {
    echo "${1# }"
}

marked() {
    echo "<$(clean "$1")>"
}

shown() {
    marked "$1"
}

shown " a "
"""
SHOP = """\
def clean(name):
    return name

class Store:
    def __init__(self, name):
        self.name = clean(name)
"""
TEST = """\
from shop import Store, clean

def test_it():
    assert Store("a").name
    assert list(map(str, [clean("b")]))
"""
# Tests load what they test; the first file of Ruby and PHP is not looked at.
STARTERS = {"start.rb": 'require_relative "main"\n', "start.php": "<?php require __DIR__ . '/main.php';\n"}
# How a program is run, its name, and what calls what, and what of the language stands between the two.
PROGRAMS = {
    "ruby": ("ruby start.rb", "main.rb", RUBY, {
        (MAIN, "shown", "direct"), (MAIN, "Store.initialize", "new"), ("Store.initialize", "Store.clean", "direct"),
        ("shown", "Store.each", "direct"), ("shown.<lambda1>", "marked", "direct"),
    }),
    "php": ("php start.php", "main.php", PHP, {
        (MAIN, "shown", "direct"), (MAIN, "Store.__construct", "direct"),
        ("Store.__construct", "Store.clean", "direct"), ("shown", "Store.clean", "direct"),
        ("shown", "marked", "array_map"),
    }),
    "lua": ("lua main.lua", "main.lua", LUA, {
        (MAIN, "shown", "direct"), (MAIN, "Store.new", "direct"), ("Store.new", "Store.clean", "direct"),
        ("shown", "marked", "pcall"), ("shown", "marked", "direct"),
    }),
    "bash": ("bash main.sh", "main.sh", BASH, {
        (MAIN, "shown", "direct"), ("shown", "marked", "direct"), ("marked", "clean", "direct"),
    }),
}  # fmt: skip


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(os.fspath(BENCHMARKS))
    return importlib.import_module("dynamic_traces")


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_call_of_a_program_is_noted_with_its_caller(traces: Any, tmp_path: Path, language: str) -> None:
    """Methods, constructors, blocks and what a builtin calls back: as they ran, and nothing else."""
    command, name, text, expected = PROGRAMS[language]
    if shutil.which(language) is None:
        pytest.skip(f"{language} is not installed")
    checkout = tree(tmp_path / "checkout", {name: text, **STARTERS})
    traces.run(language, checkout, tmp_path / "work", command)
    assert (tmp_path / "work" / "output.txt").read_bytes() in (b"", b"<a >\n")
    read = traces.read(checkout, [language])
    ran = traces.ran(read, tmp_path / "work")
    places = traces.Places(read, "/")
    found = {(places.around(call.path, call.line).key, call.callee.key, call.way) for call in ran.calls}
    assert found == expected


def traced(root: Path, out: Path) -> set[tuple[str, str, str, str]]:
    environment = {**os.environ, "CALLGRAPH_ROOT": str(root), "CALLGRAPH_OUT": str(out), "PYTHONPATH": str(BENCHMARKS)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tracer", "-p", "no:cacheprovider", str(root)]
    subprocess.run(command, cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
    rows = json.loads(out.read_text())
    return {(caller, callee, source, target) for source, _, caller, target, _, callee in rows}


def test_pythons_plugin_notes_the_calls_of_a_test(tmp_path: Path) -> None:
    """Who called whom, a constructor by its class among them; the runner and the language are nobody."""
    root = tree(tmp_path / "project", {"shop.py": SHOP, "test_shop.py": TEST})
    edges = {each[:2] for each in traced(root, tmp_path / "edges.json")}
    assert edges == {("test_it", "__init__"), ("__init__", "clean"), ("test_it", "clean")}


def test_pythons_plugin_notes_who_makes_a_generator(tmp_path: Path) -> None:
    """A generator is called by who makes it, not by who steps it first; functions that are written alike stay two."""
    shop = "def parts(n):\n    yield n\n\ndef made(n):\n    return parts(n)\n\ndef told(all):\n    return [*all]\n"
    test = "import shop, store\n\ndef test_it():\n    assert shop.told(shop.made(1)) == store.told(store.made(1))\n"
    root = tree(tmp_path / "project", {"shop.py": shop, "store.py": shop, "test_shop.py": test})
    edges = traced(root, tmp_path / "edges.json")
    assert edges == {
        *(("test_it", name, "test_shop.py", path) for name in ("made", "told") for path in ("shop.py", "store.py")),
        *(("made", "parts", path, path) for path in ("shop.py", "store.py")),
    }
