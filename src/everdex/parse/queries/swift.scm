(class_declaration "class" name: (type_identifier) @name) @definition.class
(class_declaration "actor" name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(class_declaration "extension" name: [(user_type) (array_type) (dictionary_type) (optional_type)] @name) @scope.extension
(protocol_declaration name: (type_identifier) @name) @definition.interface
(function_declaration name: [(simple_identifier) (bang) "+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "===" "!==" "~" "&" "|" "^" "<<" ">>" "++" "--" "+=" "-=" "*=" "/=" "%="] @name) @definition.function
(protocol_function_declaration name: [(simple_identifier) (bang) "+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "===" "!==" "~" "&" "|" "^" "<<" ">>" "++" "--" "+=" "-=" "*=" "/=" "%="] @name) @definition.function
((function_declaration name: (custom_operator) @name) @definition.function (#not-match? @name "[.]"))
((protocol_function_declaration name: (custom_operator) @name) @definition.function (#not-match? @name "[.]"))
(init_declaration name: "init" @name) @definition.constructor
(typealias_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.variant
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field
(source_file (property_declaration name: (pattern (pattern (simple_identifier) @name))) @definition.variable)
(subscript_declaration "subscript" @name) @definition.method
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(comment) @doc
(multiline_comment) @doc
