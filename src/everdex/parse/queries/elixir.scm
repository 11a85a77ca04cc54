(call target: (identifier) @keyword (arguments . (alias) @name) (#any-of? @keyword "defmodule" "defprotocol")) @definition.module
(call target: (identifier) @keyword (arguments . (call target: (identifier) @name)) (#any-of? @keyword "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")) @definition.function
(call target: (identifier) @keyword (arguments . (identifier) @name) (#any-of? @keyword "def" "defp" "defmacro" "defmacrop" "defdelegate")) @definition.function
(call target: (identifier) @keyword (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when")) (#any-of? @keyword "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp")) @definition.function
(unary_operator operator: "@" operand: (call target: (identifier) @keyword (arguments [(string) (sigil)] @docstring)) (#any-of? @keyword "moduledoc"))
(unary_operator operator: "@" operand: (call target: (identifier) @keyword (arguments [(string) (sigil)])) (#any-of? @keyword "doc" "typedoc")) @leaddoc
(unary_operator operator: "@" operand: (call target: (identifier) @keyword (arguments (_))) (#any-of? @keyword "spec" "impl" "deprecated")) @lead
(comment) @doc
