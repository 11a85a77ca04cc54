(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
((assignment left: (constant) @name right: (call receiver: (constant) @_of method: (identifier) @_by block: (_))) @definition.class
  (#any-of? @_of "Class" "Struct" "Data" "Module") (#any-of? @_by "new" "define"))
(program (assignment left: (constant) @name) @definition.constant)
(body_statement (assignment left: (constant) @name) @definition.constant)
(comment) @doc
