(call_expression function: (_) @callee arguments: (_) @arguments)
(new_expression type: (_) @new arguments: (_)? @arguments)
(compound_literal_expression type: [(type_identifier) (qualified_identifier) (template_type)] @new value: (initializer_list) @arguments)
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @new declarator: (init_declarator declarator: (identifier) value: [(argument_list) (initializer_list)] @arguments))
(compound_statement (declaration type: [(type_identifier) (qualified_identifier) (template_type)] @new declarator: (function_declarator declarator: (identifier) parameters: (_) @arguments)))
(field_initializer . (_) @call (argument_list) @arguments)
(compound_statement (declaration declarator: (function_declarator declarator: (identifier) parameters: (parameter_list) @replacement)))
(preproc_include) @import
(using_declaration) @import
(namespace_alias_definition) @import
(function_definition type: (_)? @returns declarator: [(function_declarator declarator: (_) @name parameters: (_) @parameters) (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))) (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)))) (reference_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (reference_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters)))]) @shape
(declaration type: (_)? @returns declarator: [(function_declarator declarator: (_) @name parameters: (_) @parameters) (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))) (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)))) (reference_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (reference_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters)))]) @shape
(field_declaration type: (_)? @returns declarator: [(function_declarator declarator: (_) @name parameters: (_) @parameters) (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))) (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)))) (reference_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (reference_declarator (function_declarator declarator: (_) @name parameters: (_) @parameters)))]) @shape
(class_specifier name: (_) @name (base_class_clause) @base) @shape
(struct_specifier name: (_) @name (base_class_clause) @base) @shape
(function_definition (storage_class_specifier "static") @static)
(preproc_function_def value: (_) @replacement)
(preproc_def value: (_) @replacement)
(preproc_function_def name: (_) @name parameters: (_) @parameters) @shape
(field_declaration type: (_) @stated declarator: [(field_identifier) @bind (array_declarator declarator: (field_identifier) @bind) (pointer_declarator declarator: [(field_identifier) @bind (array_declarator declarator: (field_identifier) @bind) (pointer_declarator declarator: (field_identifier) @bind)]) (reference_declarator (field_identifier) @bind)])
(type_definition type: [(qualified_identifier) (template_type)] @stated declarator: (type_identifier) @bind)
(type_definition type: (_ name: (_) @stated) declarator: (type_identifier) @bind)
(type_definition type: (type_identifier) @stated declarator: (type_identifier) @bind)
(alias_declaration name: (type_identifier) @bind type: (_) @stated)
(parameter_declaration type: (_) @stated declarator: [(identifier) @bind (pointer_declarator declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)]) (reference_declarator (identifier) @bind) (array_declarator declarator: (identifier) @bind)])
(optional_parameter_declaration type: (_) @stated declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind) (reference_declarator (identifier) @bind)])
(declaration type: (_) @stated declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind) (array_declarator declarator: (identifier) @bind)])
(declaration type: (_) @stated declarator: (init_declarator declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind) (reference_declarator (identifier) @bind) (array_declarator declarator: (identifier) @bind)] value: (_) @value))
(compound_statement (declaration type: (_) @stated declarator: (function_declarator declarator: (identifier) @bind)))
(condition_clause value: (declaration type: (_) @stated declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind)] value: (_) @value))
(for_range_loop type: (_) @stated declarator: [(identifier) @bind (reference_declarator (identifier) @bind) (pointer_declarator declarator: (identifier) @bind)] right: (_) @each)
(type_parameter_declaration (type_identifier) @bind)
(optional_type_parameter_declaration name: (type_identifier) @bind)
(variadic_type_parameter_declaration (type_identifier) @bind)
(lambda_expression) @lambda
(type_identifier) @type
(qualified_identifier name: (type_identifier)) @type
(qualified_identifier scope: (namespace_identifier) @qualifier)
(expression/identifier) @read
(expression/qualified_identifier) @read
(field_expression argument: (_) @receiver field: (field_identifier) @member)
(declaration type: (_) @stated declarator: (init_declarator value: (initializer_list) @literal))
(compound_literal_expression type: (type_descriptor type: (_) @stated) value: (initializer_list) @literal)
(initializer_pair designator: (field_designator (field_identifier) @through) value: (initializer_list) @literal)
(initializer_pair designator: (subscript_designator) value: (initializer_list) @literal)
(initializer_list (initializer_list) @literal)
(initializer_pair designator: (field_designator (field_identifier) @key))
(assignment_expression left: [(identifier) (qualified_identifier) (field_expression)] @write)
(update_expression argument: [(identifier) (qualified_identifier) (field_expression)] @write)
[(compound_statement) (for_statement) (for_range_loop) (if_statement) (while_statement) (switch_statement) (catch_clause)] @block
(binary_expression left: (_) @operand operator: _ @operator right: (_) @operand)
(assignment_expression left: (_) @operand operator: _ @operator right: (_) @operand)
(unary_expression operator: _ @operator argument: (_) @operand)
(pointer_expression operator: "*" @operator argument: (_) @operand)
(field_expression argument: (_) @operand operator: "->" @operator)
(update_expression argument: (_) @operand operator: _ @operator)
(update_expression operator: _ @operator argument: (_) @operand)
(subscript_expression argument: (_) @operand indices: (_ . "[" @indexed . (_)? @index))
(assignment_expression left: (subscript_expression argument: (_) @operand indices: (_ . "[" @stored)) operator: "=")
