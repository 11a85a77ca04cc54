(call_expression . (_) @callee (call_suffix (value_arguments)? @arguments (lambda_literal)* @arguments))
(constructor_expression constructed_type: (user_type) @new (constructor_suffix (value_arguments)? @arguments (lambda_literal)* @arguments))
(import_declaration) @import
(class_declaration name: (_) @name (inheritance_specifier inherits_from: (_) @base)) @shape
(protocol_declaration name: (_) @name (inheritance_specifier inherits_from: (_) @base)) @shape
(function_declaration (modifiers (property_modifier "static")) @static)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) (type_annotation)? @stated value: (_)? @value)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) (type_annotation) @stated)
(parameter name: (simple_identifier) @bind name: (_) @stated)
(for_statement item: (pattern bound_identifier: (simple_identifier) @bind) collection: (_) @each)
(lambda_parameter name: (simple_identifier) @bind)
(if_statement bound_identifier: (simple_identifier) @bind)
(catch_block error: (pattern bound_identifier: (simple_identifier) @bind))
(typealias_declaration name: (_) @bind value: (_) @stated)
(lambda_literal) @lambda
(user_type) @type
(value_argument value: [(simple_identifier) (navigation_expression)] @read)
(navigation_expression target: (simple_identifier) @read)
(assignment target: (directly_assignable_expression) @write)
(type_parameter (type_identifier) @bind (user_type) @stated)
