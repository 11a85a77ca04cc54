"""C and C++ as they are written: macros, conditionals and headers that a grammar without a preprocessor trips over."""

from __future__ import annotations

import pytest

from everdex.config import IndexConfig
from everdex.parse import ParseStatus, parse_file
from everdex.parse.conditionals import read
from everdex.parse.macros import leaves_out, readable, spoken


def _names(path: str, text: str) -> set[str]:
    return {symbol.qualified_name for symbol in parse_file(path, text.encode(), IndexConfig()).symbols}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("class API_EXPORT Slice : public Base {\n public:\n  int size();\n};\n", "Slice.size"),
        ("class LOCKABLE Mutex {\n public:\n  void lock() LOCK_IT() {}\n};\n", "Mutex.lock"),
        ("API_INLINE void Logger::swap(Logger& other) NO_EXCEPT {}\n", "Logger.swap"),
        ("API_INLINE Logger::Logger(int a) : a_(a) {}\n", "Logger.Logger"),
        ("API_BEGIN_SPACE\nnamespace a {\nint f() { return 1; }\n}\n", "a.f"),
        ("class A {\n  Q_OBJECT\n public:\n  int f();\n};\n", "A.f"),
        ("class A {\n  int count_ GUARDED_BY(mu_);\n  int after();\n};\n", "A.after"),
        ("class A {\n  Set* const all_ GUARDED_BY(mu_);\n  int after();\n};\n", "A.all_"),
        ("[[noreturn]] A_API B_API void fail(int x);\n", "fail"),
        ("class A {\n  bool f(A* a) {\n    return !(a->*member_)() || (b.*c)();\n  }\n  int after();\n};\n", "A.after"),
        ('class A {\n  OLD_API("use `b()` instead")\n  char const* name() const;\n};\n', "A.name"),
        ("struct s {\n  A_FIELDS\n  int x;\n  B_FIELDS\n};\nint after(void) { return 1; }\n", "after"),
        ("static void formatted(3, 4)\nfill(char *to, size_t size, const char *text, ...)\n{\n  go();\n}\n", "fill"),
        ("struct a *FORMATTED(1, 2) make(const char *, ...);\n", "make"),
        ("void tick(__unused int fd, __maybe_unused struct loop *l, __u32 x, const char *y)\n{\n}\n", "tick"),
        ("UNUSED(static int size(struct a *b,\n                       int (*f)(int))) {\n  return go(b);\n}\n", "size"),
        ("struct a **all(struct b *, int *);\n", "all"), ("char ***deep(int n) { return 0; }\n", "deep"),
        ("struct A {\n  T **items();\n};\nT **A::items() { return 0; }\n", "A.items"),
        ("T *&slot(int n) { return slots[n]; }\n", "slot"),
        ("A::A()\n    : a(1),\n#ifdef X\n      b(2),\n#endif\n      c(3) {}\nint after() { return 1; }\n", "after"),
        ("struct A {\n  bool operator==(const A&) const NO_EXCEPT { return true; }\n};\n", "A.operator=="),
        ("API_INLINE A &A::operator=(A other) { return *this; }\nint after() { return 1; }\n", "after"),
        ("struct A {\n  template <class T>\n  A_CONSTEXPR A(const T& x) : x_(x) {}\n  int after();\n};\n", "A.after"),
        ("struct A {\n  API_IT ~A();\n  A_CONSTEXPR operator const char*() const;\n  int after();\n};\n", "A.after"),
        ("struct A {\n  NO_UNIQUE_ADDRESS Allocator alloc_;\n  int after();\n};\n", "A.alloc_"),
        ("void f() {\n  A_TRY { go(); } A_CATCH(const E& e) { stay(); }\n  B_TRY {\n    go();\n  }\n"
         "  B_CATCH(...) {}\n}\nint after() { return 1; }\n", "after"),
        ("void f() {\n  if A_CONSTEXPR (is<T>()) go();\n}\nint after() { return 1; }\n", "after"),
        ("template <typename T, ENABLE_IF(!is<T>::value && (1 > 0))>\nint f(T x) { return 1; }\n", "f"),
        ("#if HAS_INCLUDE(<x.h>)\n#  include <x.h>\n#endif\nint after() { return 1; }\n", "after"),
        ("A_BEGIN_NAMESPACE\nA_BEGIN_EXPORT\n\ntemplate <typename T> class B {\n  int f();\n};\n", "B.f"),
        ("#ifdef X\nA_DIAG_PUSH\nA_DIAG_OFF(effc++)\n#endif\nA_PRAGMA(optimize(\"Og\"))\n"
         "int after() { return 1; }\n", "after"),
        ("struct A {\n  A_NON_NULL(1, 2)\n  int f(char* a, char* b);\n};\n", "A.f"),
        ("extern template A_API auto f<char>(int) -> R<char>;\nint after() { return 1; }\n", "after"),
        ("#if X\nconstexpr\n#endif\n    static int after[] = {1};\n", "after"),
    ],
)  # fmt: skip
def test_a_macro_costs_no_definition_its_name(text: str, name: str) -> None:
    """Words that only the preprocessor knows hide neither the definition they stand in nor the one after it."""
    assert name in _names("src/a.cc", text)
    assert parse_file("src/a.cc", text.encode(), IndexConfig()).status is ParseStatus.PARSED


@pytest.mark.parametrize(
    "text",
    ["FOO_T x = (int) MAX_SIZE;\n", "enum e { A_B,\n  C_D\n};\n", "return (size_t) A_B;\n", "int a = B_C + D_E;\n",
     "  else\n    go(1)\n", "void f(__u32 x, __u32 __user *y, __int64 z);\n", "  return pick(1) (2);\n",
     "  FOO_T const x = 1;\n", "  CHECK_IT(x)\n", "A_TRY(x);\n", "f(a, MAX_OF(b), c);\n",
     "unsigned int TICK_CLOCK(void) {\n  return 1;\n}\n", "static size_t TICK_CLOCK(void);\n",
     "static size_t TICK_CLOCK(void) {\n  return 1;\n}\n", "static struct tick *TICK_MAKE(int a) {\n}\n",
     "typedef struct DIR DIR;\n", "struct TICK_T tick;\n",
     '#define A_USAGE \\\n\tN_("a <b>")\n\nstatic int go(int a) {\n}\n', "#define A_TYPE B_INLINE int go(void);\n",
     "#if defined(X)\n  SKIP_IT(Y);\n#endif\n", "# elif defined(X) && \\\n  !defined(Y)\n\n  SKIP_IT(Y);\n"],
)
def test_words_in_their_place_stay(text: str) -> None:
    """Constants and types in capital letters are read as they stand."""
    assert readable("c", text.encode()) == text.encode()
    assert readable("cpp", text.encode()) == text.encode()


def test_a_header_is_in_the_language_it_is_written_in() -> None:
    """`.h` is C++ when it has what C has not, also where a comment of a C header talks of classes."""
    assert spoken("a.h", b"namespace a {\nclass B {};\n}\n") == "cpp"
    assert spoken("a.h", b"#include <vector>\nint f(void);\n") == "cpp"
    assert spoken("a.h", b"struct A { A operator +(A other); };\n") == "cpp"
    assert spoken("a.h", b"struct A { int operator; };\nint f(int operator);\n") == "c"
    assert spoken("a.h", b"/*\nusing this\nclass of things {\n*/\n#include <stdio.h>\nint f(void);\n") == "c"
    assert spoken("a.c", b"class B {};\n") == "c"
    assert parse_file("a.h", b"class B {\n public:\n  int f();\n};\n", IndexConfig()).language == "cpp"


def test_a_branch_that_is_not_read_is_told() -> None:
    """Of two beginnings of one function one is read, and the file does not pass for wholly read."""
    two = b"#ifdef X\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return g();\n}\n"
    assert not read(two).whole
    assert len(read(two).data) == len(two)
    parsed = parse_file("a.c", two + b"int after(void) { return 1; }\n", IndexConfig())
    assert parsed.status is ParseStatus.PARTIAL
    assert "after" in {symbol.name for symbol in parsed.symbols}
    assert leaves_out("c", two)
    assert not leaves_out("python", two)
    beside = b"#ifdef X\nint f(int a) { return 1; }\n#else\nint f(long a) { return 2; }\n#endif\n"
    assert read(beside) == (beside, True, ())
    listed = b"int a[] = {\n#ifdef X\n  1,\n#else\n  2,\n#endif\n};\n"
    assert read(listed).whole
    assert b"1," in read(listed).data
    assert b"2," in read(listed).data
    nested = (
        b"#ifdef W\nint w(void) { return 1; }\n#else\nint f(void) {\n"
        b"# ifdef L\n  if (a(1)) {\n# else\n  if (b(2)) {\n# endif\n  }\n}\n#endif\n"
    )
    assert [nested[start:end].strip() for start, end in read(nested).left_out] == [b"if (b(2)) {"]


@pytest.mark.parametrize(
    "text",
    [b"void f(void) {\n#ifdef X\n  if (a(1))\n#else\n  if (b(2))\n#endif\n    go();\n  else\n    stay();\n}\n",
     b"void f(int x) {\n  if (x)\n#ifdef X\n    a(1);\n#else\n    b(2);\n#endif\n  go();\n}\n",
     b"void f(int x) {\n#if A || \\\n    B\n  a(1);\n#else /* not (A ||\n         B) */\n  b(2);\n#endif\n}\n",
     b"#if X\n# if Y\nextern \"C\"\n# endif\nint a(int);\n#endif\nint f(void) {\n  return b(2);\n}\n"],
)
def test_heads_of_statements_in_branches_cost_nothing(text: bytes) -> None:
    """An `if` that has one head a platform, a branch behind a head and a comment behind `#else` leave nothing out."""
    assert read(text).whole
    assert all(call in read(text).data for call in (b"a(", b"b(2)"))
    parsed = parse_file("a.c", text + b"int after(void) { return 1; }\n", IndexConfig())
    assert parsed.status is ParseStatus.PARSED
    assert {"f", "after"} <= {symbol.name for symbol in parsed.symbols}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("class Writer\n#if ASYNC\n    : IAsync\n#endif\n{\n    void Go() {}\n}\n", "Writer.Go"),
        ("class T : A\n#if X\n    , B\n#endif\n#if Y\n    , C\n#endif\n{\n    void Go() {}\n}\n", "T.Go"),
        ("class T {\n    public\n#if X\n    override\n#endif\n    void Go() {}\n}\n", "T.Go"),
        ("class T {\n    int F(int a) {\n#if X\n        if (a > 1) { return 1; }\n        else\n#endif\n"
         "        { return 2; }\n    }\n    void Go() {}\n}\n", "T.Go"),
        ("class T {\n    int F(int a) {\n        if (a > 1) { return 1; }\n#if X\n"
         "        else if (a > 0) { return 2; }\n#endif\n        else { return 3; }\n    }\n"
         "    void Go() {}\n}\n", "T.Go"),
        ("class T {\n    int F(int a) {\n        switch (a) {\n#if X\n            case 1:\n                return 1;\n"
         "#else\n            case 2:\n                return 2;\n#endif\n        }\n        return 0;\n    }\n"
         "    void Go() {}\n}\n", "T.Go"),
        ("class T {\n    int[] A = {\n#if X\n        1,\n#endif\n        2 };\n    void Go() {}\n}\n", "T.Go"),
        ("#region Licence\n#endregion\n#if Z\n#if X\nusing A;\n#else\nusing B;\n#endif\n#endif\n"
         "namespace N {\n#if X\n    class T { void Go() {} }\n#else\n    class U {}\n#endif\n}\n", "N.T.Go"),
        ("\ufeff#if X\nclass T { void Go() {} }\n#endif", "T.Go"),
        ("class T { void Go() {} }\n#pragma warning restore 618", "T.Go"),
    ],
)  # fmt: skip
def test_conditional_lines_of_csharp_cost_nothing(text: str, name: str) -> None:
    """Bases, modifiers, cases, items and halves of an `if` under a condition are read, and what is around them."""
    parsed = parse_file("a.cs", text.encode(), IndexConfig())
    assert parsed.status is ParseStatus.PARSED
    assert name in {symbol.qualified_name for symbol in parsed.symbols}


@pytest.mark.parametrize(
    "text",
    ["class T {\n#if X\n    int F(int a) {\n#else\n    int F(long a) {\n#endif\n        return 1;\n    }\n}\n",
     "class T {\n    int F() {\n        return\n#if X\n        1\n#else\n        2\n#endif\n        ;\n    }\n}\n"],
)
def test_a_branch_of_csharp_that_is_not_read_is_told(text: str) -> None:
    """Of two beginnings or middles of one statement the first is read, and the file does not pass for wholly read."""
    parsed = parse_file("a.cs", text.encode(), IndexConfig())
    assert parsed.status is ParseStatus.PARTIAL
    assert {symbol.qualified_name for symbol in parsed.symbols} == {"T", "T.F"}
    assert len(read(text.encode(), "csharp").data) == len(text.encode())
    assert len(read(text.encode(), "csharp").left_out) == 1


def test_test_macros_are_named_by_what_they_test() -> None:
    """GoogleTest's cases are told apart by suite and name, not all called by the macro."""
    text = "TEST_F(CarTest, Drives) { go(); }\nTEST(Start, Works) {}\n"
    assert _names("a_test.cc", text) >= {"CarTest.Drives", "Start.Works"}


@pytest.mark.parametrize(
    "data",
    [
        b"#if A\n" * 20_000 + b"#endif\n" * 20_000, b"A_B\n" * 50_000, b"#if A\n/* x\n#endif\n" * 10_000,
        b"template <" * 20_000, b"template <A_B(" * 20_000, b"A_CONSTEXPR a(" * 20_000, b"#if A(" * 20_000,
        b"a(" * 50_000, b"A_" * 500_000, b"PRAGMA" * 100_000 + b"x\n", b"A_TRY" * 100_000,
        b"extern template auto " * 50_000, b"extern template auto\n" * 50_000, b"#define A \\\n" + b"/* \\\n" * 400_000,
    ],
)  # fmt: skip
def test_hostile_text_keeps_its_length(data: bytes) -> None:
    """Whatever is written, nothing moves, and the work stays in proportion."""
    assert len(readable("cpp", data)) == len(data)


@pytest.mark.parametrize("text", [b"class A<", b"class A(", b"class A:", b"class A: B by a\n", b"class A(((("])
def test_hostile_kotlin_keeps_its_length(text: bytes) -> None:
    """However many classes begin and go nowhere, each is looked at once."""
    data = b"by " + text * 100_000
    assert len(readable("kotlin", data)) == len(data)


@pytest.mark.parametrize(
    "value",
    ['"x"', "`x`", "5", "-1", "true", "shut(1)", "a.shut(1)", "Box{1}", "a + 1", "int64(5)", "\n\t\tshut(2),\n\t",
     "m[1](2)", "a.b.c", '[]string{"x"}', "[2][]*Box{nil}", "[]struct{}", "[]interface{}",
     "Box", "*Box", "[]int", "map[string]int", "func(int) int", "struct{}", "pkg.Box", "Pair[int, string]"],
)  # fmt: skip
def test_new_of_a_value_is_go(value: str) -> None:
    """Since Go 1.26 it takes a value, too; nothing of it is lost, and a type stays one."""
    source = f"package a\n\nfunc f() any {{\n\treturn new({value})\n}}\n\nfunc g() {{}}\n"
    parsed = parse_file("a.go", source.encode(), IndexConfig())
    assert parsed.status is ParseStatus.PARSED
    assert [symbol.name for symbol in parsed.symbols] == ["f", "g"]
