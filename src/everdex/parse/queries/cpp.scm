(function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @definition.function
(function_definition declarator: (function_declarator declarator: (template_function name: (identifier) @name))) @definition.function
(function_definition declarator: (operator_cast "operator" @name)) @definition.function
(declaration declarator: (operator_cast "operator" @name)) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name)))) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))))) @definition.function
(function_definition declarator: (pointer_declarator declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name)))) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))) @definition.function
(declaration declarator: (function_declarator declarator: [(identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @definition.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)] @name))) @definition.function
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (qualified_identifier)] @name)))) @definition.function
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: [(identifier) (qualified_identifier)] @name))))) @definition.function
(declaration declarator: (pointer_declarator declarator: (reference_declarator (function_declarator declarator: [(identifier) (qualified_identifier)] @name)))) @definition.function
(field_declaration declarator: (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)) @definition.method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @definition.method
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name)))) @definition.method
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))))) @definition.method
(field_declaration declarator: (pointer_declarator declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name)))) @definition.method
(field_declaration declarator: (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @definition.method
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(namespace_definition name: (_) @name) @definition.namespace
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: [
  (array_declarator declarator: [(type_identifier) @name (array_declarator declarator: (type_identifier) @name)])
  (pointer_declarator declarator: [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name) (array_declarator declarator: (type_identifier) @name) (function_declarator declarator: (type_identifier) @name)])
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)])))]) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(field_declaration declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name) (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))]) @definition.field
(field_declaration declarator: (pointer_declarator declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name) (pointer_declarator declarator: (field_identifier) @name)])) @definition.field
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field
(declaration declarator: [(identifier) @name (array_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name)
  (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name) (pointer_declarator declarator: (identifier) @name)])
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))]) @definition.variable
(declaration declarator: (init_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name) (reference_declarator (identifier) @name)
  (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name) (pointer_declarator declarator: (identifier) @name)])
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))) (qualified_identifier) @name])) @definition.variable
(declaration declarator: (reference_declarator (function_declarator declarator: (operator_name) @name))) @definition.function
(template_declaration) @outer
(friend_declaration) @outer
(comment) @doc
