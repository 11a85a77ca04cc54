"""What the language and its hosts bring along: names, methods, and what their calls give back. Nearly all of it data.

Libraries whose functions hand back what they are given are named here too.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GLOBALS: Final = _words(
    """Object Array String Number Boolean Function Symbol BigInt Math JSON Date RegExp Error TypeError RangeError
    SyntaxError ReferenceError EvalError URIError AggregateError Promise Map Set WeakMap WeakSet WeakRef Proxy Reflect
    Intl Atomics ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array
    Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array FinalizationRegistry globalThis eval
    parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape
    Iterator AsyncIterator Generator AsyncGenerator Iterable AsyncIterable IterableIterator ArrayLike
    window document navigator location history screen localStorage sessionStorage console alert confirm prompt fetch
    setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask requestAnimationFrame
    cancelAnimationFrame requestIdleCallback structuredClone atob btoa performance crypto URL URLSearchParams Headers
    Request Response FormData Blob File FileReader AbortController AbortSignal Event EventTarget CustomEvent
    MessageEvent ErrorEvent CloseEvent KeyboardEvent MouseEvent PointerEvent TouchEvent FocusEvent InputEvent
    EventSource WebSocket Worker SharedWorker MessageChannel MessagePort BroadcastChannel XMLHttpRequest Image Audio
    ReadableStream WritableStream TransformStream TextEncoder TextDecoder TextDecoderStream TextEncoderStream
    IntersectionObserver ResizeObserver MutationObserver PerformanceObserver DOMParser XMLSerializer Node Element
    HTMLElement HTMLInputElement HTMLAnchorElement HTMLButtonElement HTMLDivElement HTMLFormElement HTMLImageElement
    HTMLCanvasElement HTMLScriptElement HTMLStyleElement HTMLLinkElement HTMLTextAreaElement HTMLSelectElement
    HTMLVideoElement HTMLAudioElement HTMLIFrameElement HTMLTemplateElement SVGElement Document DocumentFragment
    ShadowRoot NodeList HTMLCollection CSSStyleSheet CSSStyleDeclaration Window Storage customElements getComputedStyle
    matchMedia addEventListener removeEventListener dispatchEvent postMessage importScripts self caches indexedDB
    import.meta new.target
    process Buffer require module exports global __dirname __filename NodeJS Deno Bun WebAssembly DOMException
    describe it test expect beforeEach afterEach beforeAll afterAll before after suite jest vi vitest expectTypeOf
    assertType cy Cypress chai assert jasmine spyOn xit xdescribe fit fdescribe bench $ jQuery angular define
    defineProps defineEmits defineExpose defineSlots defineModel withDefaults JSX React
    Readonly ReadonlyArray ReadonlyMap ReadonlySet PromiseLike Thenable Partial Required Record Pick Omit Exclude
    Extract NonNullable Parameters ConstructorParameters ReturnType InstanceType ThisType Awaited Uppercase Lowercase
    Capitalize Uncapitalize NoInfer PropertyKey TemplateStringsArray ArrayBufferView ArrayBufferLike ErrorOptions
    PropertyDescriptor PropertyDescriptorMap""")

# what stands for a host's global object, and the interface that it has
GLOBAL_OBJECTS: Final = {
    "window": "Window", "globalThis": "Window", "self": "Window", "global": "Window", "document": "Document",
    "navigator": "Navigator",
}  # fmt: skip

PRIMITIVES: Final = {
    "string": "String", "number": "Number", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol",
    "object": "Object",
}  # fmt: skip

# types that are what their argument is
TRANSPARENT_TYPES: Final = _words(
    """Partial Readonly Required NonNullable Omit Pick Awaited NoInfer Exclude Extract DeepPartial DeepReadonly
    Ref ShallowRef MutableRefObject RefObject""")
ARRAY_TYPES: Final = _words(
    """Array ReadonlyArray Set ReadonlySet Iterable Iterator IterableIterator AsyncIterable AsyncIterator
    AsyncIterableIterator Generator AsyncGenerator ArrayLike WeakSet""")
PROMISE_TYPES: Final = frozenset(("Promise", "PromiseLike", "Thenable"))
MAP_TYPES: Final = frozenset(("Map", "ReadonlyMap", "WeakMap", "Record"))

# What every object has, and what containers (a Set and an iterator are arrays here) and texts have besides; a property
# of another name is none of the language's.
OF_OBJECTS: Final = _words(
    """constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toString toLocaleString valueOf __proto__
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__""")
MEMBERS: Final = {
    "Array": _words(
        """at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach
        includes indexOf join keys lastIndexOf length map pop push reduce reduceRight reverse shift slice some sort
        splice toReversed toSorted toSpliced unshift values with groupBy raw index input groups callee
        add clear delete has size union intersection difference symmetricDifference isSubsetOf isSupersetOf
        isDisjointFrom next return throw drop take toArray Symbol.iterator"""),
    "Promise": _words("then catch finally"),
    "Map": _words("clear delete entries forEach get getOrInsert getOrInsertComputed has keys set size values"),
}
OF_STRINGS: Final = _words(
    """at charAt charCodeAt codePointAt concat endsWith includes indexOf isWellFormed lastIndexOf length localeCompare
    match matchAll normalize padEnd padStart repeat replace replaceAll search slice split startsWith substr substring
    toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart
    anchor big blink bold fixed fontcolor fontsize italics link small strike sub sup
    raw fromCharCode fromCodePoint prototype name""")
# All that a type of the language has, and the object that has its name: other members are none of its.
WHOLE: Final = {
    "String": OF_STRINGS | OF_OBJECTS,
    "Object": OF_OBJECTS | _words(
        """assign create defineProperties defineProperty entries freeze fromEntries getOwnPropertyDescriptor
        getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols getPrototypeOf groupBy hasOwn is
        isExtensible isFrozen isSealed keys length name observe preventExtensions prototype seal
        setPrototypeOf values"""),
}

# functions that make their first argument inherit, and those that put into it all that the others have
INHERITS: Final = frozenset(("util.inherits", "inherits"))
MIXES: Final = _words(
    """Object.assign Object.setPrototypeOf merge-descriptors utils-merge object-assign lodash.assign lodash.extend
    lodash.mixin lodash.merge lodash/assign lodash/extend lodash/merge underscore.extend util._extend jQuery.extend
    $.extend""")

# calls of something outside that give back an argument: dotted name -> which
HANDS_BACK: Final = {
    **dict.fromkeys(
        _words(
            """Object.freeze Object.seal Object.preventExtensions Object.assign Object.setPrototypeOf structuredClone
        react.memo react.forwardRef react.useCallback React.memo React.forwardRef React.useCallback
        util.promisify util.deprecate util.callbackify vue.markRaw vue.reactive vue.ref vue.readonly vue.shallowRef
        vue.shallowReactive vue.defineComponent vite.defineConfig vitest.vi.mocked vi.mocked jest.mocked
        lodash.debounce lodash.throttle lodash.once lodash.memoize lodash.cloneDeep lodash/debounce lodash/throttle
        lodash/once lodash/memoize lodash-es.debounce lodash-es.throttle lodash-es.once lodash-es.memoize memoize-one
        react.cache React.cache react.useEffectEvent React.useEffectEvent next/cache.unstable_cache
        mobx-react.observer mobx-react-lite.observer"""),
        0,
    ),
}
# those that give another `require`
GIVES_REQUIRE: Final = frozenset(("module.createRequire",))
# and those that give back what the function they are given returns
HANDS_BACK_RESULT: Final = frozenset(("react.useMemo", "React.useMemo", "vue.computed"))

# and those that give the default export of the module which the function they are given loads
LOADS: Final = frozenset(("react.lazy", "React.lazy", "next/dynamic", "vue.defineAsyncComponent"))

# array methods by what they give back
SAME: Final = _words(
    """filter slice concat reverse sort splice fill toSorted toReversed toSpliced with values add set flat
    copyWithin""")
ONE: Final = frozenset(("find", "findLast", "at", "pop", "shift"))
CHOOSES: Final = frozenset(("filter", "find", "findLast"))
MAPPED: Final = frozenset(("map", "flatMap"))
TEXT: Final = frozenset(("join", "toString"))

# methods that call the function they are given, and which of its parameters is an element
# What every function has; anything else was hung on it by somebody.
OF_FUNCTIONS: Final = frozenset((
    "apply", "arguments", "bind", "call", "caller", "constructor", "hasOwnProperty", "isPrototypeOf", "length", "name",
    "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
))  # fmt: skip
TAKES_ELEMENT: Final = {
    **dict.fromkeys(
        _words(
            """map filter forEach find findIndex findLast findLastIndex some every flatMap sort toSorted"""), 0
    ),
    "reduce": 1, "reduceRight": 1,
}  # fmt: skip

# methods that call a function they are given, before they return or when something is settled
CALLS_BACK: Final = frozenset((*TAKES_ELEMENT, "replace", "replaceAll", "then", "catch", "finally"))
_OWN_OF: Final = frozenset(("Array", "Map", "Object", "console"))
_CALLS_BACK_TOO: Final = frozenset(("from", "fromAsync", "fromEntries", "groupBy", "getOrInsertComputed"))

# methods that put an argument into what they are called on, and which
ANY: Final = -1
TAKES_INTO: Final = {
    ("Array", "push"): ANY, ("Array", "unshift"): ANY, ("Array", "add"): 0, ("Array", "fill"): 0, ("Map", "set"): 1,
}  # fmt: skip

# what any object may have from the language: a receiver that is not known says nothing by such a name
COMMON_METHODS: Final = _words(
    """map filter forEach find findIndex findLast some every flatMap flat sort reduce reduceRight includes indexOf
    lastIndexOf push pop shift unshift slice splice concat join reverse fill keys values entries at copyWithin
    then catch finally call apply bind toString toLocaleString valueOf toJSON hasOwnProperty isPrototypeOf
    get set has delete clear add size length split replace replaceAll trim trimStart trimEnd startsWith endsWith
    padStart padEnd repeat charAt charCodeAt codePointAt substring substr substr toLowerCase toUpperCase match
    matchAll search localeCompare normalize test exec toFixed toPrecision getTime getDate getFullYear getMonth
    toISOString next return throw log warn error info debug trace assign freeze create parse stringify resolve reject
    all race on once off emit addListener removeListener addEventListener removeEventListener dispatchEvent
    appendChild removeChild querySelector querySelectorAll getAttribute setAttribute getElementById createElement
    write read end close open send pipe json text status start stop run init update remove render reset toBe
    toEqual default
    toHaveBeenCalled mockReturnValue mockImplementation""")


def only_keeps(name: str) -> bool:
    """Whether something of the language keeps, shows or compares a function that it is given, and does not call it."""
    owner, _, method = name.rpartition(".")
    return owner in _OWN_OF and method not in CALLS_BACK and method not in _CALLS_BACK_TOO
