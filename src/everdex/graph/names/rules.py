"""What the resolver knows of each language, as data: how names are looked for, what constructs, what is built in.

Languages of one group call each other: Java, Kotlin and Scala; C and C++. No code that depends on a world is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TYPES: Final = frozenset((
    "class", "interface", "struct", "enum", "trait", "object", "type", "impl", "extension", "record",
))  # fmt: skip
CALLABLES: Final = frozenset(("function", "method", "constructor", "macro", "lambda"))
SPACES: Final = frozenset(("namespace", "module"))
VALUES: Final = frozenset(("field", "variable", "constant", "property", "variant"))
ABSTRACT: Final = frozenset(("interface", "trait"))


@dataclass(frozen=True, slots=True)
class Rules:
    """One language."""

    group: str
    self_names: frozenset[str] = frozenset(("this",))
    super_names: frozenset[str] = frozenset(("super",))
    implicit_members: bool = True  # a bare name may be a member of a type around it
    outer_spaces: bool = False  # names of the namespaces around a namespace are visible inside it
    constructors: tuple[str, ...] = ()  # members that construct, besides those of kind 'constructor'
    call_constructs: bool = False  # `Type(…)` without a word for it
    bare_calls: bool = False  # a name without parentheses may be a call
    global_calls: bool = False  # what is defined nowhere in the root is a library's or the system's
    wrappers: frozenset[str] = frozenset()  # types that stand for their first argument
    builtins: frozenset[str] = frozenset()
    literal: str = "builtin"  # what values of literals belong to
    common: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Method names of every standard library: that one definition in the root has such a name is no evidence.
_COMMON: Final = _words(
    "add addAll all any append apply as at atan2 back begin build call cancel catch ceil charAt clear clone close "
    "collect compare compareTo concat contains containsKey copy count create cut data default delete describe difference "
    "dig display drop dup each each_with_index emit empty emplace_back end endsWith entries equals erase err error eq "
    "exec exists expect extend fetch fill filter find findAll first flatMap flat_map flatten flush fmt fold forEach "
    "format freeze from front get getClass getKey getName getOrElse getValue has hasNext has_key hash hashCode head "
    "id include indexOf init insert inspect instance intersect into invoke is isEmpty is_a is_empty item items iter "
    "iterator join key keys kind_of last len length let limit list listen load lock log lower ltrim main map match "
    "max merge message min name new next not now ok on open options or order order_by parse peek pluck poll pop "
    "post print printf println process push push_back put putAll query raise read readLine ready receive reduce "
    "reject release remove remove_if repeat replace request require reserve reset resize respond_to return reverse "
    "rewind round row rows run save scan seek select self send set setUp setValue shift shutdown signal size skip "
    "sleep slice some sort sort_by split start startsWith state status stop store str stream string strip sub "
    "substr substring sum swap sync table tail take tap tearDown test then throw to toArray toList toLowerCase toString "
    "toUpperCase to_a to_h to_s to_string to_sym transform trim try type unlock unwrap unwrap_or update upper use "
    "value valueOf values wait warn where with withIndex word wrap write writeln yield zip Add Append Close Contains "
    "Count Dispose Equals Error Execute Find First Format Get GetEnumerator GetHashCode GetType Info Invoke Join Len "
    "Lock New Next Parse Println Printf Read Remove Reset Run Select Send Set Sprintf Start Stop String ToArray ToList "
    "ToString Unlock Value Where Write "
    "is_none is_some is_ok is_err into_iter as_ref as_mut as_str as_slice as_bytes as_deref iter_mut borrow borrow_mut "
    "to_vec to_owned unwrap_or_else unwrap_or_default ok_or map_err and_then or_else chars bytes enumerate rev cloned "
    "copied is_char_boundary write_str write_fmt into_inner try_into try_from from_str to_lowercase to_uppercase "
    "starts_with ends_with trim_start trim_end push_str extend_from_slice retain position partition chunks windows "
    "entry or_insert or_insert_with or_default contains_key get_mut first_mut last_mut split_at swap_remove drain "
    "getOrDefault computeIfAbsent putIfAbsent entrySet keySet orElse orElseGet orElseThrow ifPresent isPresent stream "
    "mapToInt anyMatch allMatch noneMatch getMessage getCause printStackTrace c_str emplace find_if lower_bound "
    "substr rfind begin cbegin cend what make_pair group_by max_by min_by each_key each_value each_pair symbolize_keys "
    "sort! map! gsub sub! gsub! match? start_with? end_with? empty? include? key? nil? any? all? none? zero? "
    "toInt toLong toDouble toSet toMap toMutableList mapNotNull filterNotNull firstOrNull lastOrNull joinToString "
    "forEachIndexed associate associateBy groupBy sortedBy distinct flatten takeIf let also apply run with use"
)

_GO_BUILTINS: Final = _words(
    "append cap clear close complex copy delete imag len make max min new panic print println real recover any bool "
    "byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 "
    "uint16 uint32 uint64 uintptr true false nil iota"
)
_RUST_BUILTINS: Final = _words(
    "Some None Ok Err Box Vec String Option Result Default Clone Copy Send Sync Sized Drop Fn FnMut FnOnce From Into "
    "Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator ToOwned ToString AsRef AsMut Eq PartialEq Ord "
    "PartialOrd Hash Debug Rc Arc drop i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str vec "
    "println eprintln print eprint format panic assert assert_eq assert_ne debug_assert debug_assert_eq write writeln "
    "todo unimplemented unreachable matches include_str include_bytes concat stringify env option_env cfg line file "
    "column compile_error dbg thread_local format_args include module_path debug_assert_ne try macro_rules derive "
    "inline allow cfg_attr doc must_use test deny warn repr non_exhaustive deprecated HashMap HashSet BTreeMap"
)
_C_BUILTINS: Final = _words("sizeof offsetof typeof alignof va_start va_end va_arg va_copy defined assert")
_CPP_BUILTINS: Final = _C_BUILTINS | _words("static_cast dynamic_cast reinterpret_cast const_cast noexcept decltype typeid")
_JAVA_BUILTINS: Final = _words(
    "Object String Integer Long Double Float Short Byte Character Boolean Number Math System Thread Runnable Class "
    "Enum Record Iterable Comparable CharSequence StringBuilder StringBuffer Exception RuntimeException Error "
    "Throwable IllegalArgumentException IllegalStateException NullPointerException UnsupportedOperationException "
    "IndexOutOfBoundsException ArithmeticException ClassCastException InterruptedException CloneNotSupportedException "
    "NumberFormatException AssertionError Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs Void "
    "Process Runtime ThreadLocal ClassLoader StackTraceElement AutoCloseable Cloneable ReflectiveOperationException "
    "ClassNotFoundException NoSuchMethodException NoSuchFieldException StackOverflowError OutOfMemoryError Package "
    "getClass hashCode equals toString notify notifyAll wait clone finalize"
)
_KOTLIN_BUILTINS: Final = _JAVA_BUILTINS | _words(
    "Any Unit Nothing Int Array List MutableList Map MutableMap Set MutableSet Pair Triple Sequence println print "
    "listOf mutableListOf mapOf mutableMapOf setOf mutableSetOf emptyList emptyMap emptySet arrayOf arrayListOf "
    "hashMapOf linkedMapOf hashSetOf sequenceOf sequence require requireNotNull check checkNotNull error TODO run with "
    "apply also let takeIf takeUnless repeat lazy lazyOf buildString buildList buildMap to until downTo step and or xor "
    "shl shr ushr in assert synchronized runCatching maxOf minOf byteArrayOf intArrayOf charArrayOf arrayOfNulls "
    "listOfNotNull iterator use async launch runBlocking delay withContext IntArray ByteArray CharArray LongArray UInt "
    "ULong UByte UShort Regex Comparator Lazy Function Char Throws JvmStatic JvmField JvmName JvmOverloads Suppress "
    "Volatile Synchronized Transient suspend infix TimeoutException"
)
_SCALA_BUILTINS: Final = _JAVA_BUILTINS | _words(
    "Any AnyRef AnyVal Unit Nothing Null Int Char Array List Seq Map Set Vector Option Some None Either Left Right Try "
    "Success Failure Future Iterator Iterable Stream LazyList Nil Tuple2 Function1 PartialFunction BigInt BigDecimal "
    "println print require assert assume implicitly identity classOf sys locally summon throws unchecked inline tailrec "
    "StringContext Ordering Numeric Range Traversable IndexedSeq Product Serializable BigInteger ??? until to by"
)
_CSHARP_BUILTINS: Final = _words(
    "nameof typeof sizeof default string int long bool object double float decimal byte char short uint ulong ushort "
    "sbyte void dynamic var String Object Int32 Int64 Boolean Double Guid DateTime TimeSpan Type Exception Action Func "
    "Task List Dictionary IEnumerable IList IDictionary Console Math Convert Array Enum Activator Tuple ValueTuple Lazy "
    "ArgumentException ArgumentNullException InvalidOperationException NotSupportedException NotImplementedException "
    "Attribute EventArgs IDisposable GC Environment Nullable Span ReadOnlySpan Memory Uri Version Random StringBuilder "
    "GetType ToString Equals GetHashCode MemberwiseClone ReferenceEquals Predicate Comparison StringComparison "
    "AppDomain Buffer BitConverter Delegate DBNull Obsolete Serializable Flags ThreadStatic StringComparer"
)
_RUBY_BUILTINS: Final = _words(
    "puts print p pp require require_relative load raise fail loop lambda proc block_given? format sprintf printf "
    "attr_reader attr_writer attr_accessor include extend prepend private public protected module_function define_method "
    "alias_method private_constant private_class_method public_class_method instance_variable_get instance_variable_set "
    "send __send__ public_send method respond_to? is_a? kind_of? instance_of? nil? freeze frozen? dup clone tap then "
    "object_id hash inspect to_s class catch throw at_exit exit abort sleep rand srand gets open system exec fork "
    "spawn binding caller caller_locations autoload eval instance_eval class_eval module_eval instance_exec class_exec "
    "Integer Float String Array Hash Rational Complex warn trap test select set_trace_func freeze undef_method "
    "remove_method const_get const_set const_missing method_missing define_singleton_method singleton_class extend_object "
    "instance_variable_defined? instance_variables itself yield_self enum_for to_enum __method__ __dir__ binding "
    "Object Kernel Module Class Comparable Enumerable Struct Symbol Proc Range Regexp Time File Dir IO Process Thread "
    "Mutex Queue StandardError RuntimeError ArgumentError TypeError NameError NoMethodError KeyError IndexError "
    "NotImplementedError StopIteration IOError Errno SecureRandom Set StringIO URI JSON YAML Date DateTime Math GC "
    "ObjectSpace Marshal Random Encoding Exception ENV ARGV Logger Tempfile FileUtils Pathname ERB CGI OpenSSL Digest "
    "Zlib Socket Timeout Forwardable Singleton Monitor Fiber Ractor BasicObject NilClass TrueClass FalseClass Numeric "
    "describe it context before after let let! subject expect assert assert_equal refute must_equal should"
)
_SWIFT_BUILTINS: Final = _words(
    "String Int Double Float Bool Array Dictionary Set Optional Result Error Any AnyObject Void Never Character UInt "
    "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 print debugPrint fatalError precondition preconditionFailure "
    "assert assertionFailure min max abs zip type stride sequence repeatElement withUnsafePointer withUnsafeBytes "
    "Codable Encodable Decodable Hashable Equatable Comparable Identifiable Sendable CustomStringConvertible Data Date "
    "URL UUID DispatchQueue Task MainActor Range ClosedRange Substring ObjectIdentifier Mirror numericCast swap dump "
    "withCheckedContinuation withCheckedThrowingContinuation withThrowingTaskGroup withTaskGroup ManagedBuffer Self"
)
_LUA_BUILTINS: Final = _words(
    "print type tostring tonumber pairs ipairs next select require pcall xpcall error assert setmetatable getmetatable "
    "rawget rawset rawequal rawlen unpack loadstring load loadfile dofile collectgarbage setfenv getfenv module "
    "string table math io os coroutine debug package bit bit32 utf8 jit ffi vim ngx love arg _G _VERSION describe it "
    "before_each after_each setup teardown"
)
_BASH_BUILTINS: Final = _words("source . [ [[ test")
_PHP_BUILTINS: Final = _words("array isset unset empty exit die list eval Closure Generator Iterator ArrayAccess Countable")

RULES: Final[dict[str, Rules]] = {
    "go": Rules("go", frozenset(), frozenset(), implicit_members=False, builtins=_GO_BUILTINS, common=_COMMON),
    "java": Rules("jvm", builtins=_JAVA_BUILTINS, wrappers=_words("Optional"), common=_COMMON),
    "kotlin": Rules(
        "jvm", call_constructs=True, bare_calls=False, builtins=_KOTLIN_BUILTINS, wrappers=_words("Lazy"), common=_COMMON
    ),
    "scala": Rules(
        "jvm", outer_spaces=True, call_constructs=True, bare_calls=True, builtins=_SCALA_BUILTINS, common=_COMMON,
    ),  # fmt: skip
    "rust": Rules(
        "rust", _words("self Self"), frozenset(), implicit_members=False, call_constructs=True,
        wrappers=_words("Box Rc Arc Option Result RefCell Cell Mutex RwLock Ref RefMut MutexGuard Cow Pin Weak Lazy "
                        "OnceCell ManuallyDrop"),
        builtins=_RUST_BUILTINS, common=_COMMON,
    ),  # fmt: skip
    "c": Rules("c", frozenset(), frozenset(), implicit_members=False, global_calls=True, builtins=_C_BUILTINS, common=_COMMON),
    "cpp": Rules(
        "c", super_names=frozenset(), outer_spaces=True, call_constructs=True, global_calls=True,
        wrappers=_words("unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic"), builtins=_CPP_BUILTINS,
        common=_COMMON,
    ),  # fmt: skip
    "csharp": Rules(
        "csharp", super_names=_words("base"), outer_spaces=True, builtins=_CSHARP_BUILTINS,
        wrappers=_words("Task ValueTask Lazy Nullable"), common=_COMMON,
    ),  # fmt: skip
    "ruby": Rules(
        "ruby", _words("self"), outer_spaces=True, constructors=("initialize",), bare_calls=True,
        builtins=_RUBY_BUILTINS, common=_COMMON,
    ),  # fmt: skip
    "php": Rules(
        "php", _words("this self static"), _words("parent"), implicit_members=False, constructors=("__construct",),
        global_calls=True, builtins=_PHP_BUILTINS, common=_COMMON,
    ),  # fmt: skip
    "swift": Rules(
        "swift", _words("self Self"), constructors=("init",), call_constructs=True, builtins=_SWIFT_BUILTINS,
        wrappers=_words("Optional EventLoopFuture Unmanaged"), common=_COMMON,
    ),  # fmt: skip
    "lua": Rules("lua", _words("self"), frozenset(), implicit_members=False, builtins=_LUA_BUILTINS, common=_COMMON),
    "bash": Rules("bash", frozenset(), frozenset(), implicit_members=False, global_calls=True, builtins=_BASH_BUILTINS),
}  # fmt: skip
RULES["cuda"] = RULES["cpp"]
