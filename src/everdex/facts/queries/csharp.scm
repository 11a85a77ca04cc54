(invocation_expression function: (_) @callee arguments: (_) @arguments)
(object_creation_expression type: (_) @new arguments: (_)? @arguments)
(implicit_object_creation_expression (argument_list)) @made
(variable_declarator (implicit_object_creation_expression (argument_list) @arguments) @target)
(return_statement (implicit_object_creation_expression (argument_list) @arguments) @target)
(arrow_expression_clause (implicit_object_creation_expression (argument_list) @arguments) @target)
(property_declaration (implicit_object_creation_expression (argument_list) @arguments) @target)
(constructor_initializer (argument_list) @arguments) @initializer
(primary_constructor_base_type type: (_) @new)
(using_directive) @import
(file_scoped_namespace_declaration name: (_) @package)
(method_declaration returns: (_) @returns name: (_) @name parameters: (_) @parameters) @shape
(local_function_statement type: (_) @returns name: (_) @name parameters: (_) @parameters) @shape
(constructor_declaration name: (_) @name parameters: (_) @parameters) @shape
(operator_declaration type: (_) @returns operator: _ @name parameters: (_) @parameters) @shape
(indexer_declaration type: (_) @stated "this" @bind)
(delegate_declaration name: (_) @name parameters: (_) @parameters) @shape
(class_declaration name: (_) @name (parameter_list) @parameters) @shape
(record_declaration name: (_) @name (parameter_list) @parameters) @shape
(class_declaration name: (_) @name (base_list) @base) @shape
(record_declaration name: (_) @name (base_list) @base) @shape
(struct_declaration name: (_) @name (base_list) @base) @shape
(interface_declaration name: (_) @name (base_list) @base) @shape
(method_declaration (modifier "static") @static)
(constructor_declaration (modifier "static") @static)
(property_declaration type: (_) @stated name: (identifier) @bind)
(variable_declaration type: (_) @stated (variable_declarator name: (identifier) @bind . (_)? @value .))
(parameter type: (_)? @stated name: (identifier) @bind)
(foreach_statement type: (_) @stated left: (identifier) @bind right: [(_) "this"] @each)
(declaration_expression type: (_) @stated name: (identifier) @bind)
(declaration_pattern type: (_) @stated name: (identifier) @bind)
(catch_declaration type: (_) @stated name: (identifier) @bind)
(invocation_expression function: (member_access_expression expression: (_) @given name: (identifier) @by) arguments: (argument_list (argument (lambda_expression parameters: (implicit_parameter) @bind))))
(implicit_parameter) @bind
(lambda_expression) @lambda
(anonymous_method_expression) @lambda
(type_argument_list [(identifier) (generic_name) (qualified_name)] @type)
(parameter type: [(identifier) (generic_name) (qualified_name)] @type)
(parameter type: (nullable_type [(identifier) (generic_name)] @type))
(variable_declaration type: [(identifier) (generic_name) (qualified_name)] @type)
(property_declaration type: [(identifier) (generic_name) (qualified_name)] @type)
(method_declaration returns: [(identifier) (generic_name) (qualified_name)] @type)
(base_list [(identifier) (generic_name) (qualified_name)] @type)
(cast_expression type: (_) @type)
(as_expression right: (_) @type)
(is_expression right: (_) @type)
(typeof_expression type: (_) @type)
(attribute name: (_) @type)
(lvalue_expression/identifier) @read
(member_access_expression expression: (_) @receiver name: (identifier) @member)
(conditional_access_expression condition: (_) @receiver (member_binding_expression name: (identifier) @member))
(object_creation_expression type: (_) @stated initializer: (initializer_expression) @literal)
(initializer_expression (assignment_expression left: (identifier) @through right: (initializer_expression) @literal))
(initializer_expression (assignment_expression left: (identifier) @key))
(assignment_expression left: [(identifier) (member_access_expression)] @write)
(prefix_unary_expression ["++" "--"] [(identifier) (member_access_expression)] @write)
(postfix_unary_expression [(identifier) (member_access_expression)] @write ["++" "--"])
[(block) (for_statement) (foreach_statement) (while_statement) (using_statement) (fixed_statement) (catch_clause) (switch_body) (switch_expression_arm)] @block
(binary_expression left: [(_) "this"] @operand operator: _ @operator right: [(_) "this"] @operand)
(assignment_expression left: (_) @operand operator: _ @operator right: [(_) "this"] @operand)
(prefix_unary_expression ["-" "+" "!" "~" "++" "--"] @operator . [(_) "this"] @operand)
(postfix_unary_expression (_) @operand . ["++" "--"] @operator)
(element_access_expression expression: [(_) "this" "base"] @operand subscript: (_ . "[" @indexed . (argument)? @index . (argument)? @index . "]"))
