(declarations (signature name: (variable) @name) @definition.function)
(declarations (function name: (variable) @name) @definition.function)
(declarations (bind name: (variable) @name) @definition.function)
(data_type name: (name) @name) @definition.type
(newtype name: (name) @name) @definition.type
(type_synonym name: (name) @name) @definition.type
(class name: (name) @name) @definition.interface
(class_declarations (signature name: (variable) @name) @definition.method)
(data_constructor (prefix name: (constructor) @name)) @definition.variant
(data_constructor (record name: (constructor) @name)) @definition.variant
(comment) @doc
(haddock) @doc
