(function_declaration name: (_) @name) @definition.function
(assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_definition))) @definition.function
(field name: (identifier) @name value: (function_definition)) @definition.function
(chunk (variable_declaration [(assignment_statement (variable_list name: (identifier) @name)) (variable_list name: (identifier) @name)]) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (dot_index_expression) @name)) @definition.field)
(variable_declaration) @outer
(comment) @doc
