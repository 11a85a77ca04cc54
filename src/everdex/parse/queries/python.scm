; Capture names are explained in parse/definitions.py.
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(module (expression_statement (assignment left: (pattern_list (identifier) @name))) @definition.variable)
(module (type_alias_statement left: (type (identifier) @name)) @definition.type)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @definition.field))
(decorated_definition) @outer
(comment) @doc
(module . (comment)* . (expression_statement (string) @docstring))
(function_definition body: (block . (expression_statement (string) @docstring)))
(class_definition body: (block . (expression_statement (string) @docstring)))
