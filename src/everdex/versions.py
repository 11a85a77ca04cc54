"""Version numbers of everything that is written to disk or mixed into a fingerprint, with their history.

An artifact outside its readable range is refused by name (`incompatible`); it is never half-read.
"""

from __future__ import annotations

from typing import Final

import msgspec

from everdex.errors import Incompatible


class SchemaRange(msgspec.Struct, frozen=True):
    """Which versions of one artifact this build reads, and the one it writes."""

    min_readable: int
    max_readable: int
    writable: int


ARTIFACTS: Final[dict[str, SchemaRange]] = {
    # 1: snapshots, numbered manifests, segments with tombstones
    "manifest": SchemaRange(1, 1, 1),
    # 1: minimal state, rebuildable from manifests
    "index_state": SchemaRange(1, 1, 1),
    # 1: owner, epoch, heartbeat, staging transaction
    "writer_lease": SchemaRange(1, 1, 1),
    # 1: rows.db (files, chunks, symbols), vectors.i8, lexical.bin, files.jsonl
    # 2: rows.db keeps symbols by row and their descriptions by file
    # 3: sources can be read from the middle
    # 4: vectors.i8 says how near each chunk is to the mean of its file
    # 5: files.jsonl has the languages that names do not say
    "chunk_row": SchemaRange(5, 5, 5),
    # 1: first answer envelope
    "answer": SchemaRange(1, 1, 1),
    # 1: store policy (single-user or shared) fixed at creation
    "store": SchemaRange(1, 1, 1),
    # 1: one mapped file: blobs by file, offers, postings
    # 2: what each part of a file looked at; blobs are read without their source
    # 3: sites that are not resolved are counted by name; one byte tells what a site is
    # 4: what indexers say: of sites, by a bit, and the names of definitions
    # 5: the list of files is not compressed
    # 6: tables have each key once, and keys share lists of files
    "graph": SchemaRange(6, 6, 6),
    # 1: a file a context: documents by path and content, symbols with where they are defined
    "semantic": SchemaRange(1, 1, 1),
    # 1: refresh jobs with scope, HEAD, budget and outcome
    # 2: a job may be of a semantic context
    "jobs": SchemaRange(1, 2, 2),
    # 1: rename plans by id: what was asked for, and once begun what each file was and becomes
    # 2: places in doubt that were taken
    "rename_plan": SchemaRange(1, 2, 2),
    # 1: what discharges an ambiguity: signature, contents, reason, the places that were open
    "decision": SchemaRange(1, 1, 1),
    # 1: evidence with anchors, claims, decisions, and what was dropped
    "board": SchemaRange(1, 1, 1),
    # 1: canvas/graph_meta.json: digest, leaves, statistics, symbols, the architecture picture
    "graph_meta": SchemaRange(1, 1, 1),
}

# 1: definitions, headings, fenced and <script> segments, windows as fallback
# 2: C++ headers named .h, macros the grammar cannot read, fields behind pointers, test cases by their names
# 3: signatures without comments and line breaks
# 4: C and C++: comments in macros of several lines, variables that hold functions
# 5: accessors, aliases and what define_method defines (Ruby); parameters that are fields (Kotlin, Scala, PHP, records);
#    events, indexers and operators (C#); C and C++ globals behind pointers and conditions; what protocols ask
#    for (Swift); several names in one declaration stand beside each other
# 6: Kotlin: definitions behind several annotations, second constructors; Ruby: classes made by Class.new, Struct.new
#    and the like; C++: members through pointers, macros with a message
# 7: Rust: macros that are called like a type
# 8: Go: `new` of a value
# 9: what is nested deeper than a hundred levels is part of the text around it
#    C and C++: functions that return pointers to pointers, macros with numbers before a name, words before parameters;
#    Kotlin: constructors of nested classes on the next line, strings with several dollars; signatures behind lines of
#    annotations
# 10: Python: what stands in a file with thousands of comments in a row
#     where the name has no extension that says the language, the first line says it
#     TypeScript: a line break ends a member of an interface, also before type parameters
# 11: C and C++: what stands behind `#if defined(X)` is no macro after a list of parameters
# 12: files that are broken at some place are read by how they are laid out; of a merge in conflict one side is read
#     Python: names in the spelling in which Python knows them (NFKC)
# 13: C and C++: conditionals around heads of statements, comments of several lines behind `#else`, functions that a
#     macro is wrapped around; Rust: impls for references and pointers have the name of the type;
#     Kotlin: bodies of classes behind `by`
# 14: signatures of fields and properties behind lines of annotations
# 15: C#: conditional lines inside statements, heads and lists; Scala: package objects
#     C++: macros for words and for parameters of templates, before variables, destructors and conversions
# 16: Swift: what `extension [Item]`, `[Key: Item]` and `Item?` define is of Array, Dictionary, Optional
# 17: operators of C#, Scala, Swift and C++; typedefs of functions and of pointers to pointers; a header that defines
#     operators is C++; C: what only looks like a macro stays; JavaScript: `&` in a text of JSX, `export type *`
CHUNKER_VERSION: Final = "17"

# 1: camelCase, snake_case, digits, acronyms; truncating stemmer
WORDS_VERSION: Final = "1"

# 1: no prefix; sums of log(1 + count) · vector over a chunk's words, exact, the direction in eight bits a number
VECTORS_VERSION: Final = "1"

# 1: Python in full; the other languages' definitions, calls, references and imports
# 2: C++ by content, macros and conditionals read over; declarations that construct; calls in macros; no cap
# 3: where the statements of a Python module begin
# 4: Python: what isinstance and patterns say of a name, setattr, what formatted strings begin with
# 5: where variables are assigned and deleted
# 6: where the statements of Python classes begin
# 7: assignments to globals and fields in the languages read by names
# 8: Python: a star before a call in a display stars its result
# 9: keys of object literals, their properties, members of types inside types, parameters that are fields
# 10: Python: no body shares its literals with another
# 11: signatures without comments and line breaks, longer ones whole
# 12: overload signatures of TypeScript functions are definitions; how many arguments a signature takes; closing tags
# 13: C++: template parameters, namespaces that macros open; Go: variadic parameters, members of what is asserted;
#    PHP: what returns itself; names that begin with a word of another language
# 14: Python: where truth is asked for and what is raised; `type(x).y = z` is no alias
# 15: the definitions of chunker 5
# 16: Go: `(*T)(x)` and `(T)(x)` name a type
# 17: TypeScript: global types, `declare global`, `infer`; Kotlin: definitions behind several annotations,
#     second constructors; PHP: types that comments state; both: what is asked for its type; Ruby: classes made by
#     Class.new, Struct.new and the like
# 18: Python: conditions of comprehensions say what names are; longer texts, when they may be names
# 19: attributes of JSX
# 20: names before `::`, of types that impls and extensions are for, owners of what Scala reads; C: names that are
#    compared, chosen between, cast or pointed to
# 21: Python: methods that only type checkers see bind no name
# 22: C#: calls that are given types; Swift: calls of what is optional; Rust: macros that are called like a type
# 23: Go: `new` of a value
# 24: JavaScript: types that comments state, calls that put what one thing has into another, functions under computed
#     names
# 25: Python: which values an f-string shows by their repr; names that startswith() has told something of
# 26: long chains, deep nesting and lists without end: what is read of them is bounded, and no call is left out
# 27: the definitions of chunker 9; Kotlin: calls that are given one type, names between backticks
# 28: Python: where slices begin and end; what has to hold of parameters for a return; items that are always assigned
# 29: Python: all texts of an f-string that may be a name; strings in a row
#     lists of bases are read as far as lists of parameters are, and whole where letters have several bytes
#     Python: expressions in stretches; calls by name and whose attributes are assigned stand apart
#     Python: what isinstance() says where a condition does not hold
#     the definitions of chunker 10; JavaScript: names between brackets, and what is stored under them; properties that
#     are defined by a call
# 30: JavaScript: names and object literals by the method they stand in
#     Ruby, PHP, Lua: branches around what is bound; Ruby: methods of `class << self`, hooks, setters, made classes;
#     PHP: what a single return returns; Lua: metatables, what `assert` gives back
#     Python: what issubclass() says; what the clauses before an `except` catch
# 31: the languages read by names: every name that is read or is a member of something, keys of literals and patterns;
#     structs of Go without a name, fields of Rust that are numbers, what functions are given by methods
#     Python: what a loop that runs in any case assigns hides what was there before; what has to hold of parameters of
#     functions around for a return; True and False
#     C#: `new(…)` without a type; Swift: constructors with type arguments; Lua: calls with a long string
#     JavaScript: the name that a function expression has inside itself
# 32: the definitions of chunker 11
#     JavaScript: names of what is required; what a computed key takes out of a pattern; the name of a class that is a
#     module
#     Ruby: modules that types are given from elsewhere; Rust: fields of variants by order, and what patterns take of
#     them; Go: addresses of literals; PHP: promoted parameters as locals; C#: which imports are global;
#     Kotlin and Swift: `it` and `$0`
# 33: Python: what has to hold for a return or an assignment also asks callable(), isinstance(), args[0] and len(args)
#     Java, Kotlin, Scala, C#: what calls pass and of what types parameters are; how many arguments calls in chains have
#     Python: attributes that are stored past `__setattr__`, by `object.__setattr__` or `__dict__`
#     the definitions of chunker 12
#     Python: identifiers in the spelling in which Python knows them (NFKC)
#     JavaScript: functions without a name inside each other have contents of their own
# 34: Python: of a conditional expression that is returned each part under what has to hold for it; what has to hold
#     also asks iscoroutinefunction() and isclass()
#     JavaScript: how texts that are put together begin and end where they may name a property; accessors that
#     properties are described by; `this` that functions are given; parts of tuples that have a name; escapes in
#     identifiers
#     C and C++: what stands under a condition; Rust: paths of calls as written; the definitions of chunker 13
#     calls in branches that are not read, in what C++ may take for parameters, of macros that are types or statements;
#     Scala, Kotlin: bases that are constructed are called and inherited from; Swift: macros; Rust: tokens like `char`
# 35: JavaScript: keys of definitions that are inside each other without end are bounded; the signatures of chunker 14
#     JavaScript: what names are tested to be, types that calls and bases are given, type parameters
# 36: the languages read by names: where a local is seen, and the block that ends it; Go: the cases of a switch by type,
#     what comes out of channels, aliases of interfaces; C++: loops over pointers; Kotlin: what `when` declares
#     the definitions of chunker 15
#     Swift: labels, parameters of long heads, blocks behind arguments; C++: results behind parameters; C#: static
#     constructors; PHP: static properties that are written, values of `foreach` with keys; functions that hand on to
#     another of their name
# 37: Python: what loops make in rounds, and no calls by name of methods of texts that stand there
#     Swift: what `.name(…)` is a member of, names that patterns bind; Scala: calls between their operands; C#: how many
#     types a call is given, what stands under a condition; `a ?? b` and `a op b` are not one name
#     the definitions of chunker 16
#     JavaScript: the type that is stated for `this`, type parameters of classes, interfaces and aliases, object types
#     that have the members of another
# 38: remarks before names; C: `(f)(x)`; Rust: what macros are passed; writes behind long receivers; calls in errors
#     Python: names that stand where isinstance() or a pattern has said no of them
# 39: Python: 64 guards a place, 64 bindings a name; JavaScript: packages that a script describes, tags with types,
#     properties without a name
# 40: operators and brackets as uses; stars and references in types of C++; JavaScript: `import a = b.c`, arrows that
#     give a tag with types, names for `exports`, `createRequire`, properties between brackets, attributes of JSX
# 41: Kotlin: what blocks are passed to, and what is read before it is written; Go: calls that are given types;
#     C#: how many types a type is given, optional parameters by attribute, `(T?)x`, `base[i]`
FACTS_VERSION: Final = "41"

# 1: public definitions with normalised signatures, and what a file passes on
INTERFACE_VERSION: Final = "1"

# 1: the first resolvers. It names the graphs they make: raise it whenever any resolver answers differently
# 2 to 24: see the history of this file
# 25: TypeScript: what the root adds to the host's types, types that nobody here declares; Kotlin: extensions by their
#     receiver; `val x = x()`; C#: extensions of outside types by what they take; Swift: types that are only extended
# 26: the statements of a Python file that are in no function have a digest, and are kept by it
# 27: Python: sets that are cut do not depend on how many digits numbers have
# 28: Python: whoever names what is decorated refers to it, whatever the decorator gives back
# 29: Python: classes of which the tree has no instances are no receivers; lines of classes and few callers cost less;
#    what sorting, summing, hashing, heaps, getters, computed names of modules, __missing__, fields made by factories
#    and containers of protocols reach
# 30: attributes of JSX write the properties of a component
# 31: Python: nothing is read of None, or of builtins that they have not; names computed by %, format() and lower(), and
#    of classes; containers of objects that other files fill, what classes below assign to self; `type[X]`, and `cls` of
#    many, may be a class below; resolved calls say what of them is not known
# 32: JavaScript: a member of a workspace is meant where its root is called so too; resolved calls say what of them is
#    not known
# 33: whoever names a type before `::` or opens it refers to it; Scala: what is read of a value is looked up in its
#    type, and reading a method without parameters calls it; `super.m()` is the base's alone
# 34: Python: classes under the names that modules give them, and such as a metaclass is called to make; what a
#    metaclass's __call__ constructs; functions that class statements call; attributes that are only declared; wrappers
#    that pass on what they are called with; what a large method returns of itself; few callers cost less
# 35: calls under a name that the program computes count among those that may be of anything
# 36: Python: callers that there are no steps left to ask are not looked at, nor noted as read
# 37: C#: a call that is given types is of what takes types
# 38: what is read of a value under a computed name is not among them
# 39: calls are told apart by how much stands behind what a function gives back, not by how large it is
# 40: JavaScript: types that comments state; members that are called after they were taken out of something; properties
#     of records; what a library keeps of the root's; sources of what has not been built; exports called like a keyword;
#     mixins; a module's own exports; what is stored on things made elsewhere; members that nothing of the language has;
#     functions under names that the program computes
# 41: Python: what texts, look-ups and lengths run; what many decorators are put on; tables by their columns
# 42: files that take too long to parse count as partial
# 43: Python: several sites at one place stand in the same order in every process
# 44: Java, Kotlin, Scala, C#, PHP: what is imported from a package of the root and not found there is nobody else's;
#     Rust: crates by what their manifests say, what crates at the top of the root pass on; Bash: files beside a script
# 45: Python: slices, what `__new__` from outside makes, partial calls that are returned, lambdas called where they
#    stand, keys of mappings that are updated from others, parameters made texts; calling a base's method with self
#    makes no base; attributes under computed names, what modules are asked for, what `yield from` and `gather` give
#    back, methods bound by hand, namespaces, classes as receivers of their metaclass; returns that arguments rule out
#    and items that are overwritten are left out
# 46: Python: what __new__, metaclasses, attrs' fields, stars and comparisons give; what a builtin base lacks
# 47: Python: names that are put together of known parts, or have a known end; the names of classes
#     Python: scripts without an extension are imported by nobody; names are followed through so many modules
#     Python: of many files that call a name it matters only that they are many, also where it is a class below another
#     Python: what a module sees of a builtin before it defines its name, what a class below makes otherwise, items
#     that are filled by another name, what runs in a metaclass, objects that classes below replace, builtin types that
#     isinstance() asks for; a call of a union of types no longer fails the file
#     Python: names of one body or of a definition and what is passed cost no steps; what stands beside an operator
#    may be a number; who calls a function that its file passed to another
#     JavaScript: what methods store on the object or prototype they are of, symbols as names, tables of functions,
#     properties defined by a call, what `constructor` is, functions that are returned where a type is stated,
#     signatures of interfaces that are called, other names of types among what implements them, functions that declared
#     fields are given, callbacks of the language's methods on anything; what only keeps a function does not call it
# 48: Python: of a name with several bindings a reader sees these and what stands before them, no other statements
#     Python: of the names that a statement imports each is by itself
#     JavaScript: a class is offered name by name, and its methods each by itself
#     Ruby: methods of classes apart from those of their instances, and from those of what is around; what `included`
#     gives, classes made by a call, methods that assignments call; PHP: what a function without a stated type returns;
#     Lua: tables with metatables, what `assert` gives back, programs that nobody requires; of these three: what is
#     assigned under a condition, what something outside hands out, members of what extends a type; Bash: functions
#     inside others
#     Python: descriptors that are read through their class; what methods take that are called by a name put together,
#     functions behind a wrapper that a list holds, constructors by `cls` or `type(self)`, and what decorators keep
#     Python: classes that make another of themselves (`cls(…)`), decorators that other methods return, registries of
#     modules, what argparse is told to set, members of enumerations that call a constructor, functions that are made
#     methods, what issubclass() and earlier `except` clauses say, who calls a method in files that seldom do
# 49: Python: a name that some function of a file binds outside itself makes the other names of the file no dearer
#     the languages read by names: fields that are read or written through what has a known type
#     Python: functions that another file replaces or passes on, objects that another file calls, attributes that a
#     third file assigns, what a metaclass adds to its classes, `any` and `all`, factories of mappings, flags
#     JavaScript: function expressions by their own name; functions that are stored in a field of the base
# 50: Python: values that carry contexts are in the order of what these are; of uses of a class and of files in a
#     directory it matters only that there are some; who passes on what it imports is found among many that name it;
#     what a parameter is say those calls that pass something for it, also among many that do not; attributes that are
#     assigned and names that are exported are looked at by their names; of what is in too many files it matters only
#     that it is
#     Python: what descriptors are asked by, what a constructor above is given for each class, classes that are called
#     by another name, chains of `partial`, members that are found by their marks, generic methods by the receiver's
#     class, what is registered for a type, keys that are compared, what `asyncio.run` gives back
#     Python: tables with more functions, and functions of another file in them; parameters whose annotation says
#     nothing of a part; decorators that stand above more functions; what decorators of another file assign to a class
#     JavaScript: names of what is required mean what the module gives; of members, methods and calls of a name that
#     are in too many files it matters only that they are
#     Ruby: modules that are included or prepended from elsewhere, and that what is prepended comes first
#     C#: `global using`; Rust: what variants hold; Go: what the address of a literal with functions is; Java and its
#     kin: a name that is not called is rather a field than a method; PHP: promoted parameters in their constructor
#     Swift: extensions of what is outside, `X.Type`, types behind the name of their module; `$0`; Kotlin: `it`
# 51: Python: assignments that a call does not come to, or that it certainly makes again; decorators with and without
#     parentheses by callable(), isinstance() and len(args); what starred arguments pass on
#     Java, Kotlin, C#: overloads by the types of what is passed, also those of bases and, in chains, by how many
#     arguments there are; what a base outside takes is its own
#     Java and its kin: types by their whole names; Kotlin: what is expected and what is actually there are one
#     Python: properties and descriptors that getattr, setattr and delattr run under names that are not written there;
#     what a wrapper passes to a function that is called like a method; functions in fields of records; what instances
#     and containers hold is followed further; containers that are assigned together are filled by their names
#     Python: stars that a module takes back from its own package, __getattribute__, methods of classes that are mixed
#     in before, up to a hundred candidates of what is only declared; attributes stored past `__setattr__`;
#     functions that were made in more calls than are followed; what is assigned to an attribute of a name
#     JavaScript: bodies are looked at name by name, functions without a name inside each other one by one; what a
#     function is given by calls of its own file is noted; files are resolved in parts
# 52: Python: conditional expressions that are returned are told apart by calls; what modules and packages are called;
#     dictionaries made from keys; what is passed beside what is called; what classes below are assigned; of a method's
#     calls those that pass nothing do not say what its first parameter after self is; names of a class, statements
#     without a name and each import of a statement that binds more have keys of their own
#     JavaScript: a script that has declarations beside it is what an import of both means, with their types;
#     functions of a declared function type; functions under names of which a part is written; what sources pass where
#     tests have too many calls; accessors by `Object.defineProperty`; `this` by bind, call, apply and methods of
#     arrays; entries of packages that have not been built; instances are not called; casts to a class below
#     what is in regress/ is a test, whose stores into a program's objects do not count
#     C and C++: a function of the system that the root defines on some systems only may be either; what a source file
#     only declares is seen by nobody else
#     Rust: before `::` stands no variable; what is imported twice under conditions may be either; a trait of the root
#     that is in reach may be implemented for what is outside; names of type parameters are nobody's types
#     private overloads of other files are left out (Java, Kotlin, Scala, Swift); a function of Kotlin with the name
#     of a class, and extensions of type parameters; C++: arguments that only declarations leave out, pairs of maps
# 53: Python: calls by another file's variable, by a closure's default, by a module's name for a method and by
#     partialmethod; what is passed to something unknown by a name that few methods have, and by operators, `in` and
#     item stores; methods that another class calls by a computed name; holders of descriptors that functions make;
#     items of heirs of containers; what is passed on where it is made; a metaclass's `__iter__`; `__import__` with a
#     list of names
#     packages, decorators in too many places and calls that are many in a file are noted by coarser keys
#     JavaScript: names by what they were tested to be; calls by the types that they are given; what extends a Map;
#     an interface and a class of one name; decorators run where the class is made; a file a platform (React Native)
#     patterns of any depth
# 54: what was learned from the fourteenth set of programs and from projects that were traced for the first time
#     Rust: names behind re-exports, impls of what is defined elsewhere; Go: interfaces among many methods of one name,
#     by what they take; a function that is called where it is written
#     Python: what is passed decides also by its class, of operators, too; self in a method that classes below override;
#     a base that is only asked for data; what up to 24 methods of one object give; containers and singledispatch
#     Python: what objects store before descriptors that only give; fixtures that are imported, named otherwise or of a
#     plugin; texts that classes below replace; methods that take themselves among their arguments; calls outside tests
#     where many tests call; what a function gives is asked with 9 steps
# 55: what was learned from the fifteenth set of programs and from strangers in the languages that are read by names
#     blocks end their locals; C: variables of the file itself, or that something in reach declares; Go: what a struct
#     embeds by the name of its type, items of items
#     Scala: package objects, companions, aliases of the same last name; Swift: labels; Kotlin: companions, apply, what
#     hides no function; PHP: parent; C++: constructors behind aliases; what a base outside the root hands out
#     Python: classes made out of tables, keywords of class statements, things under keys of their own, what operators
#     call a method on, attributes that other files replace, protocols by the class below
#     Python: calls of a file by names that it does not define have 32 keys instead of eight
# 56: Python: layers that a loop builds in order, classes that `type` makes and those that are attributes of classes,
#     functions that are named anew twice, what is sent to delegating generators, setters below, lists that are added
#     what was learned from the compilers of C#, Swift and Scala
#     C#: members for an interface alone, conversions, values that may be absent, private overloads, extension methods
#     by their class or under a condition, what every object has, overloads of bases, fields that hold functions
#     Swift: members of types that are not written, labels of constructors, methods of types and of instances
#     Scala: `apply`, any number of parameters, implicit classes; all overloads of one name are looked at
#     JavaScript: what type parameters of classes, interfaces and aliases stand for; `this` by its stated type; what of
#     the host a file declares whole stays the host's; components that are loaded late, cached functions
# 57: values of other files: imports and reads lead to them; Go: packages that are called like a part of their path
#     JavaScript: sources of what a package has not built; what classes below run, all of it or ambiguous
#     languages by names: a declaration with sixteen implementations is resolved to all of them
#     Python: decorators that are declared to give what they are given, methods that are replaced all alike, metaclasses
#     that six names or that are called to make a base, containers that are compared
#     Python: texts ask what is passed for parameters without a type; instances that isinstance() has ruled out;
#     what `abs` and `_replace` give
# 58: languages by names: what is only declared means up to forty, more is ambiguous; keys of whole heads
#     JavaScript: literals that are handed over, prototypes below, packages that scripts describe
#     Python: protocols that nobody meets, fget and its kind, names with more bindings than are kept
# 59: languages by names: operators and called objects, members up to 256 types above, heads of types without what these
#     inherit; Ruby: Singleton; JavaScript: functions that are handed on, attributes as arguments, computed `require`
#     Python: what decorators put on classes, stars that lead back, attributes of libraries' objects, declined operands,
#     slices; keys say what calls fill and what is taken out; builtins and the standard library are written down
# 60: Kotlin: what blocks are run with, properties that are methods of Java, members of Java that it does not
#     see; Go: what calls give that are given types; C#: types of one name that take other numbers of types, namespaces
#     that are used under a condition, inherited overloads; Rust: brackets through Box and its like
RESOLVERS_VERSION: Final = "60"

# How what indexers say is put over what resolvers say; part of the name of a graph with facts.
# 1: the first
# 2: a call that leads further than the name at its place is the text's, not the indexer's
JOIN_VERSION: Final = "2"

# 1: the first look. It names kept pictures: raise it whenever the same answers are drawn differently
# 2: an impact says how many places may mean a field whose owner is not known there
# 3: what may reach a method or class through what is above it has other words
# 4: an impact says how often the name is written where nothing is resolved
# 5: edges that pass rows bend less; test files of one name are told apart by their directories
# 6: what there was no room for is tied to nothing: it made cycles that nobody wrote
# 7: what lies below cmd/ and has no main is no entry point
# 8: who calls an interface of Go does not use those that implement it
# 9: deps/ and releases of web packages are somebody else's
# 10: entry points are what the language begins with, and modules that pages run
PICTURES_VERSION: Final = "10"

# 1: BM25 + int8 cosine, weighted reciprocal ranks
# 2: queries, too, are rounded to eight bits a number
# 3: a share of the file's mean in each chunk's vector; further results of a file keep what they bring themselves
# 4: in an index of one language its name, and that code is wanted, are no part of the question
# 5: weights fitted to both sets
# 6: sentences about what code does have weights of their own; a README asked for by name is not put back
# 7: for a subject, vectors count more, and in a chunk's that of its whole file
# 8: what is in .yarn is vendored, a playground is an example
# 9: what is in regress/ is a test
# 10: a letter and a word with a hyphen (`v-for`) are also looked for as one word
# 11: what says just what was asked stands first; deps/ and releases of web packages are vendored
# 12: a misspelt name of several words; Store.Tests/, src/androidTest/ and a t/ at the top hold tests, src/main does not
RANKING_VERSION: Final = "12"


def check_readable(artifact: str, version: object, where: str) -> None:
    """Raise `Incompatible`, naming artifact and version, unless this build can read it."""
    known = ARTIFACTS[artifact]
    if isinstance(version, int) and known.min_readable <= version <= known.max_readable:
        return
    raise Incompatible(
        f"{where}: {artifact} has schema version {version!r}; this everdex reads "
        f"{known.min_readable} to {known.max_readable}"
    )
