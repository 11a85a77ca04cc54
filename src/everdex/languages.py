"""Which language a file is written in, which grammar parses it, and what role its path plays.

Everything here is decided from the path, and a language also from the first line where the name has no extension that
says it, so the same file gives the same answer on every machine. This module reads no file and loads no grammar: the
tree-sitter modules are only named here.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from everdex.interpreters import language_said

# Distribution -> version, exactly as pinned in pyproject.toml; part of config_fingerprint because another
# grammar gives other chunks.
GRAMMAR_VERSIONS: Final[dict[str, str]] = {
    "tree-sitter": "0.26.0",
    "tree-sitter-bash": "0.25.1",
    "tree-sitter-c": "0.24.2",
    "tree-sitter-c-sharp": "0.23.5",
    "tree-sitter-cpp": "0.23.4",
    "tree-sitter-css": "0.25.0",
    "tree-sitter-elixir": "0.3.5",
    "tree-sitter-go": "0.25.0",
    "tree-sitter-haskell": "0.24.1",
    "tree-sitter-html": "0.23.2",
    "tree-sitter-java": "0.23.5",
    "tree-sitter-javascript": "0.25.0",
    "tree-sitter-json": "0.24.8",
    "tree-sitter-kotlin": "1.1.0",
    "tree-sitter-lua": "0.5.0",
    "tree-sitter-markdown": "0.5.4",
    "tree-sitter-php": "0.25.1",
    "tree-sitter-python": "0.25.0",
    "tree-sitter-ruby": "0.23.1",
    "tree-sitter-rust": "0.24.2",
    "tree-sitter-scala": "0.26.3",
    "tree-sitter-sql": "0.3.11",
    "tree-sitter-swift": "0.7.4",
    "tree-sitter-toml": "0.7.0",
    "tree-sitter-typescript": "0.23.2",
    "tree-sitter-yaml": "0.7.2",
    "tree-sitter-zig": "1.1.2",
}


class Grammar(msgspec.Struct, frozen=True):
    """How to load a grammar (`module.function()`) and which query file speaks for it."""

    module: str
    function: str
    query: str


def _grammar(name: str, query: str = "", function: str = "language") -> Grammar:
    return Grammar(f"tree_sitter_{name}", function, query or name)


GRAMMARS: Final[dict[str, Grammar]] = {
    "bash": _grammar("bash"),
    "c": _grammar("c"),
    "cpp": _grammar("cpp"),
    "csharp": _grammar("c_sharp", "csharp"),
    "css": _grammar("css"),
    "cuda": _grammar("cpp"),
    "cython": _grammar("python"),
    "elixir": _grammar("elixir"),
    "go": _grammar("go"),
    "haskell": _grammar("haskell"),
    "html": _grammar("html"),
    "java": _grammar("java"),
    "javascript": _grammar("javascript"),
    "json": _grammar("json"),
    "kotlin": _grammar("kotlin"),
    "lua": _grammar("lua"),
    "markdown": _grammar("markdown"),
    "php": _grammar("php", function="language_php"),
    "python": _grammar("python"),
    "ruby": _grammar("ruby"),
    "rust": _grammar("rust"),
    "scala": _grammar("scala"),
    "sql": _grammar("sql"),
    "svelte": _grammar("html"),
    "swift": _grammar("swift"),
    "toml": _grammar("toml"),
    "tsx": _grammar("typescript", function="language_tsx"),
    "typescript": _grammar("typescript", function="language_typescript"),
    "vue": _grammar("html"),
    "yaml": _grammar("yaml"),
    "zig": _grammar("zig"),
}

# language -> extensions, without the dot, in lower case
_EXTENSIONS: Final[dict[str, str]] = {
    "bash": "sh bash zsh ksh bats ebuild",
    "c": "c h",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cppm ixx ino",
    "csharp": "cs csx",
    "css": "css",
    "cuda": "cu cuh",
    "cython": "pyx pxd pxi",
    "elixir": "ex exs",
    "go": "go",
    "haskell": "hs hsc",
    "html": "html htm xhtml",
    "java": "java",
    "javascript": "js jsx mjs cjs es6",
    "json": "json jsonc json5 webmanifest",
    "kotlin": "kt kts",
    "lua": "lua",
    "markdown": "md markdown mdx mkd mdown",
    "php": "php phtml php5 php7",
    "python": "py pyi pyw",
    "ruby": "rb rake gemspec ru podspec",
    "rust": "rs",
    "scala": "scala sc sbt",
    "sql": "sql ddl psql pgsql",
    "svelte": "svelte",
    "swift": "swift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "vue": "vue",
    "yaml": "yaml yml",
    "zig": "zig zon",
    # no grammar: line windows
    "ada": "adb ads",
    "asciidoc": "adoc asciidoc",
    "asm": "asm s nasm",
    "astro": "astro",
    "awk": "awk",
    "batch": "bat cmd",
    "bazel": "bzl bazel",
    "bibtex": "bib",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "coffeescript": "coffee",
    "commonlisp": "lisp lsp cl",
    "crystal": "cr",
    "d": "d",
    "dart": "dart",
    "dot": "dot gv",
    "ejs": "ejs",
    "elm": "elm",
    "emacs-lisp": "el",
    "erb": "erb",
    "erlang": "erl hrl",
    "fish": "fish",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "glsl": "glsl vert frag comp geom hlsl metal",
    "graphql": "graphql gql graphqls",
    "groovy": "groovy gradle gvy",
    "haml": "haml",
    "handlebars": "hbs handlebars mustache",
    "hcl": "tf tfvars hcl nomad",
    "ini": "ini cfg conf cnf properties editorconfig desktop service",
    "jinja": "jinja jinja2 j2 tpl tmpl",
    "jsonnet": "jsonnet libsonnet",
    "julia": "jl",
    "just": "just",
    "latex": "tex sty ltx",
    "less": "less",
    "lex": "l ll lpp",
    "liquid": "liquid",
    "make": "mk mak make",
    "m4": "m4",
    "mermaid": "mmd mermaid",
    "meson": "meson",
    "nim": "nim nims",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "org": "org",
    "pascal": "pas pp dpr",
    "perl": "pl pm t pod",
    "plantuml": "puml plantuml",
    "powershell": "ps1 psm1 psd1",
    "prisma": "prisma",
    "protobuf": "proto",
    "pug": "pug jade",
    "puppet": "epp",
    "purescript": "purs",
    "r": "r rmd",
    "racket": "rkt",
    "rego": "rego",
    "rst": "rst rest",
    "sass": "sass",
    "scheme": "scm ss sld",
    "scss": "scss",
    "smithy": "smithy",
    "solidity": "sol",
    "solution": "sln",
    "starlark": "star",
    "tcl": "tcl",
    "text": "txt text",
    "thrift": "thrift capnp fbs",
    "verilog": "v sv svh vh",
    "vhdl": "vhd vhdl",
    "vim": "vim",
    "wgsl": "wgsl",
    "xml": "xml xsd xsl xslt wsdl plist csproj fsproj vbproj slnx props targets pom storyboard xib",
    "yacc": "y yy ypp",
}

# language -> whole file names, compared in lower case
_NAMES: Final[dict[str, str]] = {
    "bash": ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .profile .zshrc .zprofile "
    ".zshenv .zlogin .zlogout .kshrc .mkshrc .xinitrc .xprofile .xsession .envrc pkgbuild apkbuild",
    "bazel": "build workspace build.bazel workspace.bazel module.bazel",
    "cmake": "cmakelists.txt",
    "coffeescript": "cakefile",
    "docker": "dockerfile containerfile",
    "emacs-lisp": ".emacs",
    "go-mod": "go.mod go.work",
    "groovy": "jenkinsfile",
    "ini": ".gitconfig .gitattributes .gitmodules .editorconfig .npmrc .pylintrc .flake8 .coveragerc "
    ".dockerignore .gitignore .everdexignore .prettierignore .eslintignore .npmignore .hgignore .ignore .rgignore "
    ".inputrc .bazelrc",
    "json": ".prettierrc .eslintrc .babelrc .swcrc .jshintrc",
    "just": "justfile .justfile",
    "make": "makefile gnumakefile bsdmakefile makefile.am makefile.in kbuild",
    "meson": "meson.build meson_options.txt meson.options",
    "perl": "cpanfile rexfile",
    "procfile": "procfile",
    "python": "sconstruct sconscript wscript snakefile .pythonrc .pythonstartup",
    "r": ".rprofile",
    "ruby": "gemfile rakefile vagrantfile brewfile guardfile podfile capfile fastfile appfile dangerfile berksfile "
    "thorfile puppetfile steepfile deliverfile matchfile scanfile snapfile gymfile .irbrc .pryrc .simplecov",
    "starlark": "tiltfile buck",
    "text": "license licence copying notice readme authors contributors changelog changes history news todo "
    "install thanks maintainers codeowners version manifest.in rust-toolchain",
    "toml": "pipfile",
    "vim": ".vimrc .gvimrc",
    "yaml": ".clang-format .clang-tidy .yamllint",
}

# Languages of one kind: files of each use what files of the others define.
C_FAMILY: Final = frozenset(("c", "cpp", "cuda"))
JVM: Final = frozenset(("java", "kotlin", "scala"))
JAVASCRIPT: Final = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "html"))
_TOGETHER: Final = (JAVASCRIPT, C_FAMILY, JVM)
_BY_EXTENSION: Final = {ext: language for language, exts in _EXTENSIONS.items() for ext in exts.split()}
KNOWN: Final = frozenset(_EXTENSIONS) | frozenset(_NAMES)
_BY_NAME: Final = {name: language for language, names in _NAMES.items() for name in names.split()}


def naming_each_other(language: str) -> frozenset[str]:
    """The languages whose code names what this one defines as its own: itself and those written beside it."""
    return next((each for each in _TOGETHER if language in each), frozenset((language,)))


# Machine-written or packed text: huge, never what anybody searches for.
_REFUSED_NAMES: Final = frozenset((
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-lock.yml", "go.sum",
    "packages.lock.json", "gradle.lockfile",
))  # fmt: skip
_REFUSED_SUFFIXES: Final = (
    ".min.js", ".min.mjs", ".min.css", ".min.html", ".bundle.js", ".map", ".lock", ".svg", ".ipynb", ".csv",
    ".tsv", ".po", ".pot", ".log", ".snap", ".geojson",
)  # fmt: skip


# Extensions that no language has, but that say well enough that the file is no script: it is not opened to find out.
_OTHER_EXTENSIONS: Final = (
    "png jpg jpeg gif bmp ico icns webp avif tif tiff psd ai eps pdf svgz mp3 mp4 m4a m4v ogg oga ogv wav flac "
    "webm mov avi mkv ttf otf woff woff2 eot zip gz tgz bz2 xz lzma zst 7z rar tar jar war ear whl egg gem deb "
    "rpm dmg iso so dylib dll exe o a lib obj class pyc pyo pyd wasm bc mo bin dat db sqlite sqlite3 parquet npy "
    "npz pkl pickle pt pth onnx h5 hdf5 tfrecord pb mmdb dbf shp shx pem crt cer key p12 jks keystore doc docx "
    "xls xlsx ppt pptx odt odp ods bak orig rej swp swo old tmp diff patch"
)
_NO_SCRIPTS: Final = frozenset(_OTHER_EXTENSIONS.split())


def may_be_script(path_key: str) -> bool:
    """Whether only the first line can tell what a file is: its name neither says a language nor refuses one."""
    name = path_key.rsplit("/", 1)[-1].lower()
    if language_of(name) is not None or name in _REFUSED_NAMES or name.endswith((*_REFUSED_SUFFIXES, "~")):
        return False
    return name.lstrip(".").rpartition(".")[2] not in _NO_SCRIPTS or "." not in name.lstrip(".")


def is_said(path_key: str) -> bool:
    """Whether an extension says the language, whatever the file contains; a name without one only suggests it."""
    return "." in path_key.rsplit("/", 1)[-1].lstrip(".") and language_of(path_key) is not None


def language_in(path_key: str, data: bytes) -> str | None:
    """The language of a file: its extension says it, of a name without one the first line, and then the name."""
    named = language_of(path_key)
    return named if is_said(path_key) else language_said(data) or named


def language_of(path_key: str) -> str | None:
    """The language that a path's name or extension says; None where it says none."""
    name = path_key.rsplit("/", 1)[-1].lower()
    if name in _REFUSED_NAMES or name.endswith(_REFUSED_SUFFIXES):
        return None
    known = _BY_NAME.get(name)
    if known is not None:
        return known
    stem, dot, extension = name.rpartition(".")
    if dot and extension in _BY_EXTENSION:
        # A dot file (".py") has a name, not an extension.
        return _BY_EXTENSION[extension] if stem else None
    if stem in ("dockerfile", "makefile", "jenkinsfile") or name.startswith(("dockerfile.", "dockerfile-")):
        # Variants such as Dockerfile.dev and Makefile.common.
        return _BY_NAME.get(stem, "docker")
    return None


def parsed_language(name: str) -> str | None:
    """The language with a grammar that a fence's info string or a `lang=` attribute means, if any."""
    lowered = name.strip().lower()
    language = _ALIASES.get(lowered) or _BY_EXTENSION.get(lowered) or lowered
    return language if language in GRAMMARS else None


_ALIASES: Final[dict[str, str]] = {
    "c#": "csharp", "c++": "cpp", "golang": "go", "javascriptreact": "javascript", "node": "javascript",
    "py3": "python", "python3": "python", "shell": "bash", "typescriptreact": "tsx",
}  # fmt: skip


_VENDORED: Final = re.compile(
    r"(^|/)(vendor|vendored|_vendor|third[_-]?party|node_modules|bower_components|external|extern|externals|"
    r"site-packages|subprojects|\.yarn)/|"
    r"^deps/"  # where C projects keep their libraries; further in it may be anything
)
# A release of a package for browsers, unpacked or as one file. Directories of other languages are called so for what
# they are written against.
_RELEASE: Final = re.compile(r"[a-z0-9][-.@]v?\d{1,4}\.\d{1,4}\.\d{1,8}(/|\.[a-z]+$)")
_FOR_BROWSERS: Final = (".js", ".mjs", ".cjs", ".css", ".html", ".less", ".scss")
_GENERATED: Final = re.compile(
    r"(^|/)(generated|__generated__|autogen|dist|gen)/|"
    r"(_pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h)|\.g\.(dart|cs)|\.designer\.cs|\.generated\.[a-z]+|_generated\.[a-z]+|"
    r"zz_generated[^/]*|\.gen\.[a-z]+)$"
)
_TEST: Final = re.compile(
    r"(^|/)(tests?|testing|__tests__|specs?|testdata|fixtures|e2e|unittests?|regress)/|"
    r"[a-z0-9][-_.]tests?/|"  # integration-tests, Store.Tests
    r"^t/|"  # Perl's habit, also git's, celery's and memcached's; further in it may be anything
    r"(^|/)(test_[^/]*|conftest|tests?)\.pyi?$|(_tests?|_spec)\.[a-z]+$|\.(test|spec|e2e)\.[a-z]+$|"
    r"\.cy\.[cm]?[jt]sx?$"  # Cypress; elsewhere it is Welsh
)
# What Maven and Gradle ship, whatever it is called: Spring's `org/springframework/test`, an `IndexSpec.java`, the
# `com/example/demo` that Spring's set-up makes.
_SHIPPED: Final = re.compile(r"(^|/)src/main/")
# In the path's own case: FooTest.java and src/androidTest/ are tests, contest.java and contest/ are not.
_CAMEL_TEST: Final = re.compile(r"[a-z0-9](Tests?|Spec|IT)\.(java|kt|scala|cs|swift|php)$|[a-z0-9]Tests?/")
_EXAMPLE: Final = re.compile(r"(^|/)(examples?|samples?|demos?|tutorials?|playgrounds?|benchmarks?|bench)/")
_DOC: Final = re.compile(r"(^|/)(docs?|documentation|man)/")
_DOC_LANGUAGES: Final = frozenset(("markdown", "rst", "asciidoc", "org", "latex", "text", "bibtex"))
_CONFIG_LANGUAGES: Final = frozenset((
    "json", "yaml", "toml", "ini", "xml", "make", "cmake", "docker", "bazel", "meson", "go-mod",
    "procfile", "just", "hcl", "solution",
))  # fmt: skip


def role_of(path_key: str) -> str:
    """source, test, doc, config, example, generated or vendored: by path alone, used for ranking."""
    path = path_key.lower()
    if _VENDORED.search(path) or (path.endswith(_FOR_BROWSERS) and _RELEASE.search(path)):
        return "vendored"
    if _GENERATED.search(path):
        return "generated"
    shipped = _SHIPPED.search(path)
    around = path[: shipped.start() + 1] if shipped else path
    if _TEST.search(around) or (not shipped and _CAMEL_TEST.search(path_key)):
        return "test"
    language = language_of(path_key)
    if language in _DOC_LANGUAGES and language != "text":
        return "doc"
    if _EXAMPLE.search(around):
        return "example"
    if language == "text" or _DOC.search(around):
        return "doc"
    if language in _CONFIG_LANGUAGES:
        return "config"
    return "source"
