"""Words of the languages, as data: what is built in, and method names that every library has."""

from __future__ import annotations

from typing import Final


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# That one definition in the root has such a name is no evidence.
COMMON: Final = words(
    "Add Append Close Contains Count Dispose Equals Error Execute Find First Format Get GetEnumerator GetHashCode "
    "GetType Info Invoke Join Len Lock New Next Parse Printf Println Read Remove Reset Run Select Send Set Sprintf "
    "Start Stop String ToArray ToList ToString Unlock Value Where Write add addAll all all? allMatch also and_then "
    "any any? anyMatch append apply as as_bytes as_deref as_mut as_ref as_slice as_str associate associateBy at "
    "atan2 back begin borrow borrow_mut build bytes c_str call cancel catch cbegin ceil cend charAt chars chunks "
    "clear clone cloned close collect compare compareTo computeIfAbsent concat contains containsKey contains_key "
    "copied copy count create cut data default delete describe difference dig display distinct drain drop dup each "
    "each_key each_pair each_value each_with_index emit emplace emplace_back empty empty? end end_with? endsWith "
    "ends_with entries entry entrySet enumerate eq equals erase err error exec exists expect extend "
    "extend_from_slice fetch fill filter filterNotNull find findAll find_if first firstOrNull first_mut flatMap "
    "flat_map flatten flush fmt fold forEach forEachIndexed format freeze from from_str front get getCause getClass "
    "getKey getMessage getName getOrDefault getOrElse getValue get_mut groupBy group_by gsub gsub! has hasNext "
    "has_key hash hashCode head id ifPresent include include? indexOf init insert inspect instance intersect into "
    "into_inner into_iter invoke is isEmpty isPresent is_a is_char_boundary is_empty is_err is_none is_ok is_some "
    "item items iter iter_mut iterator join joinToString key key? keySet keys kind_of last lastOrNull last_mut len "
    "length let limit list listen load lock log lower lower_bound ltrim main make_pair map map! mapNotNull mapToInt "
    "map_err match match? max max_by merge message min min_by name new next nil? none? noneMatch not now ok ok_or "
    "on open options or orElse orElseGet orElseThrow or_default or_else or_insert or_insert_with order order_by "
    "parse partition peek pluck poll pop position post print printStackTrace printf println process push push_back "
    "push_str put putAll putIfAbsent query raise read readLine ready receive reduce reject release remove remove_if "
    "repeat replace request require reserve reset resize respond_to retain return rev reverse rewind rfind round "
    "row rows run save scan seek select self send set setUp setValue shift shutdown signal size skip sleep slice "
    "some sort sort! sort_by sortedBy split split_at start start_with? startsWith starts_with state status stop "
    "store str stream string strip sub sub! substr substring sum swap swap_remove symbolize_keys sync table tail "
    "take takeIf tap tearDown test then throw to toArray toDouble toInt toList toLong toLowerCase toMap "
    "toMutableList toSet toString toUpperCase to_a to_h to_lowercase to_owned to_s to_string to_sym to_uppercase "
    "to_vec transform trim trim_end trim_start try try_from try_into type unlock unwrap unwrap_or unwrap_or_default "
    "unwrap_or_else update upper use value valueOf values wait warn what where windows with withIndex word wrap "
    "write write_fmt write_str writeln yield zero? zip"
)
GO_BUILTINS: Final = words(
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 "
    "float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune "
    "string true uint uint16 uint32 uint64 uint8 uintptr"
)
RUST_BUILTINS: Final = words(
    "Arc AsMut AsRef BTreeMap Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend "
    "Fn FnMut FnOnce From Hash HashMap HashSet Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd "
    "Rc Result Send Sized Some String Sync ToOwned ToString Vec allow assert assert_eq assert_ne bool cfg cfg_attr "
    "char column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne deny deprecated derive doc "
    "drop env eprint eprintln f32 f64 file format format_args i128 i16 i32 i64 i8 include include_bytes include_str "
    "inline isize line macro_rules matches module_path must_use non_exhaustive option_env panic print println repr "
    "str stringify test thread_local todo try u128 u16 u32 u64 u8 unimplemented unreachable usize vec warn write "
    "writeln"
)
C_BUILTINS: Final = words(
    "alignof assert defined offsetof sizeof typeof va_arg va_copy va_end va_start"
)
CPP_BUILTINS: Final = C_BUILTINS | words(
    "const_cast decltype dynamic_cast noexcept reinterpret_cast static_cast typeid"
)
JAVA_BUILTINS: Final = words(
    "ArithmeticException AssertionError AutoCloseable Boolean Byte CharSequence Character Class ClassCastException "
    "ClassLoader ClassNotFoundException CloneNotSupportedException Cloneable Comparable Deprecated Double Enum "
    "Error Exception Float FunctionalInterface IllegalArgumentException IllegalStateException "
    "IndexOutOfBoundsException Integer InterruptedException Iterable Long Math NoSuchFieldException "
    "NoSuchMethodException NullPointerException Number NumberFormatException Object OutOfMemoryError Override "
    "Package Process Record ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs Short "
    "StackOverflowError StackTraceElement String StringBuffer StringBuilder SuppressWarnings System Thread "
    "ThreadLocal Throwable UnsupportedOperationException Void clone equals finalize getClass hashCode notify "
    "notifyAll toString wait"
)
KOTLIN_BUILTINS: Final = JAVA_BUILTINS | words(
    "Any Array ByteArray Char CharArray Comparator Function Int IntArray JvmField JvmName JvmOverloads JvmStatic "
    "Lazy List LongArray Map MutableList MutableMap MutableSet Nothing Pair Regex Sequence Set Suppress "
    "Synchronized TODO Throws TimeoutException Transient Triple UByte UInt ULong UShort Unit Volatile also and "
    "apply arrayListOf arrayOf arrayOfNulls assert async buildList buildMap buildString byteArrayOf charArrayOf "
    "check checkNotNull delay downTo emptyList emptyMap emptySet error hashMapOf hashSetOf in infix intArrayOf "
    "iterator launch lazy lazyOf let linkedMapOf listOf listOfNotNull mapOf maxOf minOf mutableListOf mutableMapOf "
    "mutableSetOf or print println repeat require requireNotNull run runBlocking runCatching sequence sequenceOf "
    "setOf shl shr step suspend synchronized takeIf takeUnless to until use ushr with withContext xor"
)
SCALA_BUILTINS: Final = JAVA_BUILTINS | words(
    "??? Any AnyRef AnyVal Array BigDecimal BigInt BigInteger Char Either Failure Function1 Future IndexedSeq Int "
    "Iterable Iterator LazyList Left List Map Nil None Nothing Null Numeric Option Ordering PartialFunction Product "
    "Range Right Seq Serializable Set Some Stream StringContext Success Traversable Try Tuple2 Unit Vector assert "
    "assume by classOf identity implicitly inline locally print println require summon sys tailrec throws to "
    "unchecked until"
)
CSHARP_BUILTINS: Final = words(
    "Action Activator AppDomain ArgumentException ArgumentNullException Array Attribute BitConverter Boolean Buffer "
    "Comparison Console Convert DBNull DateTime Delegate Dictionary Double Enum Environment Equals EventArgs "
    "Exception Flags Func GC GetHashCode GetType Guid IDictionary IDisposable IEnumerable IList Int32 Int64 "
    "InvalidOperationException Lazy List Math MemberwiseClone Memory NotImplementedException NotSupportedException "
    "Nullable Object Obsolete Predicate Random ReadOnlySpan ReferenceEquals Serializable Span String StringBuilder "
    "StringComparer StringComparison Task ThreadStatic TimeSpan ToString Tuple Type Uri ValueTuple Version bool "
    "byte char decimal default double dynamic float int long nameof object sbyte short sizeof string typeof uint "
    "ulong ushort var void"
)
RUBY_BUILTINS: Final = words(
    "ARGV ArgumentError Array BasicObject CGI Class Comparable Complex Date DateTime Digest Dir ENV ERB Encoding "
    "Enumerable Errno Exception FalseClass Fiber File FileUtils Float Forwardable GC Hash IO IOError IndexError "
    "Integer JSON Kernel KeyError Logger Marshal Math Module Monitor Mutex NameError NilClass NoMethodError "
    "NotImplementedError Numeric Object ObjectSpace OpenSSL Pathname Proc Process Queue Ractor Random Range "
    "Rational Regexp RuntimeError SecureRandom Set Singleton Socket StandardError StopIteration String StringIO "
    "Struct Symbol Tempfile Thread Time Timeout TrueClass TypeError URI YAML Zlib __dir__ __method__ __send__ abort "
    "after alias_method assert assert_equal at_exit attr_accessor attr_reader attr_writer autoload before binding "
    "block_given? caller caller_locations catch class class_eval class_exec clone const_get const_missing const_set "
    "context define_method define_singleton_method describe dup enum_for eval exec exit expect extend extend_object "
    "fail fork format freeze frozen? gets hash include inspect instance_eval instance_exec instance_of? "
    "instance_variable_defined? instance_variable_get instance_variable_set instance_variables is_a? it itself "
    "kind_of? lambda let let! load loop method method_missing module_eval module_function must_equal nil? object_id "
    "open p pp prepend print printf private private_class_method private_constant proc protected public "
    "public_class_method public_send puts raise rand refute remove_method require require_relative respond_to? "
    "select send set_trace_func should singleton_class sleep spawn sprintf srand subject system tap test then throw "
    "to_enum to_s trap undef_method warn yield_self"
)
SWIFT_BUILTINS: Final = words(
    "Any AnyObject Array Bool Character ClosedRange Codable Comparable CustomStringConvertible Data Date Decodable "
    "Dictionary DispatchQueue Double Encodable Equatable Error Float Hashable Identifiable Int Int16 Int32 Int64 "
    "Int8 MainActor ManagedBuffer Mirror Never ObjectIdentifier Optional Range Result Self Sendable Set String "
    "Substring Task UInt UInt16 UInt32 UInt64 UInt8 URL UUID Void abs assert assertionFailure debugPrint dump "
    "fatalError max min numericCast precondition preconditionFailure print repeatElement sequence stride swap type "
    "withCheckedContinuation withCheckedThrowingContinuation withTaskGroup withThrowingTaskGroup withUnsafeBytes "
    "withUnsafePointer zip"
)
LUA_BUILTINS: Final = words(
    "_G _VERSION after_each arg assert before_each bit bit32 collectgarbage coroutine debug describe dofile error "
    "ffi getfenv getmetatable io ipairs it jit load loadfile loadstring love math module next ngx os package pairs "
    "pcall print rawequal rawget rawlen rawset require select setfenv setmetatable setup string table teardown "
    "tonumber tostring type unpack utf8 vim xpcall"
)
BASH_BUILTINS: Final = words(
    ". [ [[ source test"
)
PHP_BUILTINS: Final = words(
    "ArrayAccess Closure Countable Generator Iterator array die empty eval exit isset list unset"
)
