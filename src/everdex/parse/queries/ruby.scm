(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(alias name: (_) @name) @definition.function
((call method: (identifier) @_defines arguments: (argument_list [(simple_symbol) @name (string (string_content) @name)])) @definition.function
  (#any-of? @_defines "attr_accessor" "attr_reader" "attr_writer"))
((call method: (identifier) @_defines arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])) @definition.function
  (#any-of? @_defines "alias_method" "define_method" "define_singleton_method"))
((assignment left: (constant) @name right: (call receiver: (constant) @_of method: (identifier) @_by block: (_))) @definition.class
  (#any-of? @_of "Class" "Struct" "Data" "Module") (#any-of? @_by "new" "define"))
(program (assignment left: (constant) @name) @definition.constant)
(body_statement (assignment left: (constant) @name) @definition.constant)
(comment) @doc
