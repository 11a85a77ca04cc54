(call_expression function: (_) @callee arguments: (_) @arguments)
(extends_clause type: [(type_identifier) (generic_type) (stable_type_identifier)] @constructed . arguments: (arguments) @arguments)
(instance_expression . [(type_identifier) (generic_type) (stable_type_identifier)] @new arguments: (_)? @arguments)
(infix_expression left: (_) @receiver operator: (identifier) @infix right: (_))
(field_expression value: (_) @receiver field: (identifier) @member)
(import_declaration) @import
(package_clause name: (_) @package)
(function_definition name: (_) @name parameters: (parameters) @parameters) @shape
(function_definition name: (_) @name return_type: (_) @returns) @shape
(function_declaration name: (_) @name parameters: (parameters) @parameters) @shape
(function_declaration name: (_) @name return_type: (_) @returns) @shape
(class_definition name: (_) @name class_parameters: (_) @parameters) @shape
(class_definition name: (_) @name extend: (_) @base) @shape
(object_definition name: (_) @name extend: (_) @base) @shape
(package_object name: (_) @name extend: (_) @base) @shape
(trait_definition name: (_) @name extend: (_) @base) @shape
(enum_definition name: (_) @name extend: (_) @base) @shape
(class_parameter name: (_) @bind type: (_) @stated)
(class_parameter name: (_) @promoted type: (_) @stated)
(parameter name: (_) @bind type: (_) @stated)
(val_definition pattern: (identifier) @bind type: (_)? @stated value: (_) @value)
(var_definition pattern: (identifier) @bind type: (_)? @stated value: (_) @value)
(call_expression function: (field_expression value: (_) @given field: (identifier) @by) arguments: (arguments . (lambda_expression parameters: (identifier) @bind) .))
(lambda_expression parameters: (identifier) @bind)
(bindings (binding name: (_) @bind))
(enumerator . (identifier) @bind)
(case_clause pattern: (identifier) @bind)
(typed_pattern pattern: (identifier) @bind type: (_) @stated)
(type_definition name: (_) @bind type: (_) @stated)
(lambda_expression) @lambda
(type_identifier) @type
(stable_type_identifier) @type
(expression/identifier) @read
(arguments (identifier) @read)
(infix_expression (identifier) @read)
(prefix_expression (identifier) @read)
(interpolation (identifier) @read)
(field_expression value: (identifier) @read)
(call_expression function: (identifier) @stated arguments: (arguments) @literal)
(arguments (assignment_expression left: (identifier) @key))
(assignment_expression left: [(identifier) (field_expression)] @write)
(instance_expression . (_) @base (template_body) @anonymous)
(function_definition name: (_) @name body: [(call_expression) (instance_expression) (identifier) (field_expression)] @result) @shape
[(block) (indented_block) (for_expression) (case_clause)] @block
(infix_expression left: (_) @operand operator: (operator_identifier) @operator right: (_) @operand)
(prefix_expression ["-" "+" "!" "~"] @operator . (_) @operand)
(assignment_expression left: (call_expression function: (_) @operand arguments: (_ . "(" @stored)))
