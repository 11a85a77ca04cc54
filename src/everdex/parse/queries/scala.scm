(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.object
(package_object name: (identifier) @name) @definition.object
(trait_definition name: (identifier) @name) @definition.trait
(enum_definition name: (identifier) @name) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.variant
(full_enum_case name: (identifier) @name) @definition.variant
(function_definition name: [(identifier) (operator_identifier)] @name) @definition.function
(function_declaration name: [(identifier) (operator_identifier)] @name) @definition.function
(type_definition name: (type_identifier) @name) @definition.type
(template_body (val_definition pattern: (identifier) @name) @definition.field)
(template_body (var_definition pattern: (identifier) @name) @definition.field)
(compilation_unit (val_definition pattern: (identifier) @name) @definition.variable)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(template_body (val_definition pattern: (tuple_pattern (identifier) @name)) @definition.field)
(val_declaration name: (identifier) @name) @definition.field
(var_declaration name: (identifier) @name) @definition.field
(given_definition name: (identifier) @name) @definition.variable
(class_definition class_parameters: (class_parameters (class_parameter ["val" "var"] name: (identifier) @name) @definition.field))
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))
(comment) @doc
(block_comment) @doc
