"""Words that a language keeps for itself, so that nothing can be given one of them as a name.

Words that mean something in some places only (Python's `match`, TypeScript's `type`) are names everywhere else and
are not here. Where members may be called by any word, only what stands at the top of a file or in a function is
refused.
"""

from __future__ import annotations

from typing import Final

_C: Final = """
    auto break case char const continue default do double else enum extern float for goto if int long register return
    short signed sizeof static struct switch typedef union unsigned void volatile while
"""
_CPP: Final = f"""{_C}
    alignas alignof and asm bool catch class concept consteval constexpr constinit const_cast co_await co_return
    co_yield decltype delete dynamic_cast explicit export false friend inline mutable namespace new noexcept not nullptr
    operator or private protected public reinterpret_cast requires static_assert static_cast template this thread_local
    throw true try typeid typename using virtual wchar_t xor
"""
_JAVASCRIPT: Final = """
    await break case catch class const continue debugger default delete do else enum export extends false finally for
    function if import in instanceof let new null return static super switch this throw true try typeof var void while
    with yield
"""
_PYTHON: Final = """
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield
"""
_WORDS: Final = {
    "python": _PYTHON,
    "cython": f"{_PYTHON} cdef cpdef ctypedef",
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "vue": _JAVASCRIPT,
    "svelte": _JAVASCRIPT,
    "go": """
        break case chan const continue default defer else fallthrough for func go goto if import interface map package
        range return select struct switch type var
    """,
    "rust": """
        Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for
        if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true
        try type typeof unsafe unsized use virtual where while yield
    """,
    "java": """
        abstract assert boolean break byte case catch char class const continue default do double else enum extends
        false final finally float for goto if implements import instanceof int interface long native new null package
        private protected public return short static strictfp super switch synchronized this throw throws transient
        true try void volatile while
    """,
    "csharp": """
        abstract as base bool break byte case catch char checked class const continue decimal default delegate do
        double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface
        internal is lock long namespace new null object operator out override params private protected public readonly
        ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint
        ulong unchecked unsafe ushort using virtual void volatile while
    """,
    "c": f"{_C} inline restrict",
    "cpp": _CPP,
    "cuda": _CPP,
    "ruby": """
        BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next
        nil not or redo rescue retry return self super then true undef unless until when while yield
    """,
    "php": """
        abstract and array as break callable case catch class clone const continue declare default do echo else elseif
        empty enddeclare endfor endforeach endif endswitch endwhile eval exit extends final finally fn for foreach
        function global goto if implements include include_once instanceof insteadof interface isset list match
        namespace new or print private protected public readonly require require_once return static switch throw trait
        try unset use var while xor yield
    """,
    "kotlin": """
        as break class continue do else false for fun if in interface is null object package return super this throw
        true try typealias typeof val var when while
    """,
    "swift": """
        Any Self as associatedtype break case catch class continue default defer deinit do else enum extension
        fallthrough false fileprivate for func guard if import in init inout internal is let nil operator private
        protocol public repeat rethrows return self static struct subscript super switch throw throws true try
        typealias var where while
    """,
    "scala": """
        abstract case catch class def do else enum export extends false final finally for given if implicit import
        lazy match new null object override package private protected return sealed super then this throw trait true
        try type val var while with yield
    """,
    "lua": """
        and break do else elseif end false for function goto if in local nil not or repeat return then true until
        while
    """,
    "bash": "case coproc do done elif else esac fi for function if in select then time until while",
}  # fmt: skip
RESERVED: Final = {language: frozenset(words.split()) for language, words in _WORDS.items()}
# Asked for behind a dot or an arrow, any word is a name there.
_FREE_MEMBERS: Final = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "php", "ruby"))


def is_reserved(word: str, language: str, *, of_member: bool) -> bool:
    """Whether a language refuses a word as the name of a definition."""
    return word in RESERVED.get(language, ()) and not (of_member and language in _FREE_MEMBERS)
