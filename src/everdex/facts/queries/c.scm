(call_expression function: (_) @callee arguments: (_) @arguments)
(macro_type_specifier name: (identifier) @call type: (_) @arguments)
(preproc_include) @import
(function_definition type: (_) @returns declarator: [(function_declarator declarator: (_) @name parameters: (_) @parameters) (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters)) (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))) (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name parameters: (_) @parameters))))]) @shape
(declaration type: (_) @returns declarator: [(function_declarator declarator: (identifier) @name parameters: (_) @parameters) (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters)) (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))) (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name parameters: (_) @parameters))))]) @shape
(function_definition (storage_class_specifier "static") @static)
(preproc_function_def value: (_) @replacement)
(preproc_def value: (_) @replacement)
(preproc_function_def name: (_) @name parameters: (_) @parameters) @shape
(field_declaration type: (_) @stated declarator: [(field_identifier) @bind (array_declarator declarator: (field_identifier) @bind) (pointer_declarator declarator: [(field_identifier) @bind (array_declarator declarator: (field_identifier) @bind) (pointer_declarator declarator: (field_identifier) @bind)])])
(type_definition type: (_ name: (_) @stated) declarator: (type_identifier) @bind)
(type_definition type: (type_identifier) @stated declarator: [(type_identifier) @bind (pointer_declarator declarator: (type_identifier) @bind)])
(parameter_declaration type: (_) @stated declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @bind)) (array_declarator declarator: (identifier) @bind)])
(parameter_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bind))))
(declaration type: (_) @stated declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind) (array_declarator declarator: (identifier) @bind)])
(declaration type: (_) @stated declarator: (init_declarator declarator: [(identifier) @bind (pointer_declarator declarator: (identifier) @bind) (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @bind)) (array_declarator declarator: (identifier) @bind)]))
(init_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bind))) value: (_) @value)
(type_identifier) @type
(expression/identifier) @read
(field_expression argument: (_) @receiver field: (field_identifier) @member)
(declaration type: (_) @stated declarator: (init_declarator value: (initializer_list) @literal))
(compound_literal_expression type: (type_descriptor type: (_) @stated) value: (initializer_list) @literal)
(initializer_pair designator: (field_designator (field_identifier) @through) value: (initializer_list) @literal)
(initializer_pair designator: (subscript_designator) value: (initializer_list) @literal)
(initializer_list (initializer_list) @literal)
(initializer_pair designator: (field_designator (field_identifier) @key))
(assignment_expression left: [(identifier) (field_expression)] @write)
(update_expression argument: [(identifier) (field_expression)] @write)
[(compound_statement) (for_statement)] @block
