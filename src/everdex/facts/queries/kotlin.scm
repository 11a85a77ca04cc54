(call_expression . [(identifier) (navigation_expression)] @callee (value_arguments)? @arguments (annotated_lambda)? @arguments)
(call_expression . (call_expression (value_arguments)) @callee . (value_arguments) @arguments)
; `call<Type>(x)` and `call<Type> { … }`, which the grammar takes for comparisons and the language never does
(binary_expression left: (binary_expression left: [(identifier) (navigation_expression)] @callee "<" right: [(identifier) (navigation_expression)]) ">" right: [(parenthesized_expression) (lambda_literal)] @arguments)
(binary_expression left: (binary_expression left: [(identifier) (navigation_expression)] "<" right: [(identifier) (navigation_expression)] @type) ">" right: [(parenthesized_expression) (lambda_literal)])
(call_expression . [(parenthesized_expression) (index_expression) (lambda_literal) (unary_expression) (this_expression)] @callee)
(call_expression . (call_expression . [(identifier) (navigation_expression)] @callee (value_arguments) @arguments) (annotated_lambda) @arguments)
(constructor_invocation (user_type) @constructed (value_arguments) @arguments)
(constructor_delegation_call (value_arguments) @arguments) @initializer
(infix_expression . (_) @receiver . (identifier) @call . (_))
(import) @import
(package_header (qualified_identifier) @package)
(function_declaration name: (_) @name (function_value_parameters) @parameters) @shape
(function_declaration name: (_) @name (function_value_parameters) . [(user_type) (nullable_type)] @returns) @shape
(function_declaration [(user_type) (nullable_type)] @extended . name: (_) @name) @shape
(secondary_constructor "constructor" @name (function_value_parameters) @parameters) @shape
(class_declaration name: (_) @name (primary_constructor (class_parameters) @parameters)) @shape
(class_declaration name: (_) @name (delegation_specifiers) @base) @shape
(object_declaration name: (_) @name (delegation_specifiers) @base) @shape
(companion_object (delegation_specifiers) @mixin)
(class_parameter (identifier) @bind [(user_type) (nullable_type)] @stated)
(class_parameter ["val" "var"] (identifier) @promoted . [(user_type) (nullable_type)] @stated)
(parameter (identifier) @bind [(user_type) (nullable_type)] @stated)
(parameter . (identifier) @bind)
(property_declaration (variable_declaration (identifier) @bind [(user_type) (nullable_type)] @stated))
(property_declaration (variable_declaration . (identifier) @bind .) . (_) @value .)
(property_declaration (variable_declaration . (identifier) @bind .))
(when_subject (variable_declaration . (identifier) @bind) "=" . (_) @value)
(property_declaration (multi_variable_declaration (variable_declaration . (identifier) @bind)))
(for_statement (variable_declaration . (identifier) @bind .) . (_) @each)
(call_expression . (navigation_expression (_) @given . (identifier) @by .) (annotated_lambda (lambda_literal (lambda_parameters . (variable_declaration . (identifier) @bind) .))))
(lambda_parameters (variable_declaration . (identifier) @bind))
(catch_block (identifier) @bind [(user_type)] @stated)
(call_expression . (navigation_expression (_) @given . (identifier) @by .) (annotated_lambda (lambda_literal) @implicit))
(lambda_literal) @implicit
(lambda_literal) @lambda
(anonymous_function) @lambda
(user_type) @type
(callable_reference) @read
(primary_expression/identifier) @read
(navigation_expression . (_) @receiver . (identifier) @member .)
(call_expression . (identifier) @stated . (value_arguments) @literal)
(value_argument . (identifier) @key . (_) .)
(assignment left: [(identifier) (navigation_expression)] @write)
(unary_expression argument: [(identifier) (navigation_expression)] @write ["++" "--"])
(unary_expression ["++" "--"] argument: [(identifier) (navigation_expression)] @write)
(type_parameter (identifier) @bind (user_type) @stated)
(object_literal (delegation_specifiers) @base (class_body) @anonymous)
(function_declaration name: (_) @name (function_body . [(call_expression) (identifier) (navigation_expression) (binary_expression)] @result .)) @shape
(is_expression left: [(identifier) (navigation_expression)] @narrowed right: (user_type) @stated)
(when_expression (when_subject (identifier) @narrowed) (when_entry condition: (type_test (user_type) @stated)))
[(block) (for_statement) (when_expression) (catch_block) (lambda_literal)] @block
(binary_expression left: (_) @operand operator: _ @operator right: (_) @operand)
(range_expression . (_) @operand . [".." "..<"] @operator . (_) @operand)
(in_expression left: (_) @operand ["in" "!in"] @operator right: (_) @operand)
(assignment left: (_) @operand operator: ["+=" "-=" "*=" "/=" "%="] @operator right: (_) @operand)
(unary_expression operator: ["-" "+" "!" "++" "--"] @operator argument: (_) @operand)
(unary_expression argument: (_) @operand operator: ["++" "--"] @operator)
(index_expression . (_) @operand . "[" @indexed . (_)? @index . ","? . (_)? @index . "]")
(assignment left: (index_expression . (_) @operand . "[" @stored) operator: "=")
(assignment left: (index_expression . (_) @operand . "[" @updated) operator: ["+=" "-=" "*=" "/=" "%="])
