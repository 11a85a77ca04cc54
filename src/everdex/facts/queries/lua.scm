(function_call name: (_) @callee arguments: (_) @arguments)
((function_call name: (identifier) @_m) @import (#eq? @_m "require"))
(function_declaration name: (_) @name parameters: (_) @parameters) @shape
(parameters name: (identifier) @bind)
(assignment_statement (variable_list . name: (_) @bind) (expression_list . value: (_) @value))
(variable_list (_) . name: (identifier) @bind)
(for_generic_clause (variable_list name: (identifier) @bind))
(for_numeric_clause name: (identifier) @bind)
((function_call name: (identifier) @_m arguments: (arguments . (identifier) @inheriting . (_) @base)) (#eq? @_m "setmetatable"))
(function_definition) @lambda
(arguments [(identifier) (dot_index_expression)] @read)
(field value: [(identifier) (dot_index_expression)] @read)
(return_statement (expression_list [(identifier) (dot_index_expression)] @read))
(assignment_statement (expression_list value: [(identifier) (dot_index_expression)] @read))
(chunk (return_statement (expression_list . (identifier) @package .)))
(if_statement consequence: (_) @branch)
[(elseif_statement) (else_statement)] @branch
[(while_statement body: (_) @branch) (for_statement body: (_) @branch)]
