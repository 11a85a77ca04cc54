(call receiver: (_)? @receiver method: [(identifier) (constant) (operator)] @call arguments: (_)? @arguments)
(call receiver: (_) @callee !method arguments: (_) @arguments)
(call method: (super) @call arguments: (_)? @arguments)
(super) @call
((call method: (identifier) @_m) @import (#any-of? @_m "require" "require_relative" "load"))
(class name: (_) @name superclass: (superclass (_) @base)) @shape
((assignment left: (constant) @name right: (call receiver: (constant) @_of arguments: (argument_list . [(constant) (scope_resolution)] @base) block: (_))) @shape
  (#eq? @_of "Class"))
(method name: (_) @name parameters: (_)? @parameters) @shape
(singleton_method name: (_) @name parameters: (_)? @parameters) @shape
(singleton_method object: (_) @static)
(singleton_class (body_statement (method name: (_) @static)))
((call !receiver method: (identifier) @_m arguments: (argument_list [(constant) (scope_resolution)] @mixin)) (#any-of? @_m "include" "extend"))
((call !receiver method: (identifier) @opened arguments: (argument_list [(constant) (scope_resolution)] @mixin)) (#eq? @opened "prepend"))
((call receiver: [(self) (identifier)] method: (identifier) @_m arguments: (argument_list [(constant) (scope_resolution)] @mixin)) (#any-of? @_m "include" "extend" "prepend"))
((call receiver: [(constant) (scope_resolution)] @opened method: (identifier) @word arguments: (argument_list [(constant) (scope_resolution)] @mixin)) (#any-of? @word "include" "extend" "prepend"))
((call receiver: [(constant) (scope_resolution)] @opened method: (identifier) @_send arguments: (argument_list . (simple_symbol) @word [(constant) (scope_resolution)] @mixin)) (#any-of? @_send "send" "public_send" "__send__") (#any-of? @word ":include" ":extend" ":prepend"))
(assignment left: [(identifier) (instance_variable) (class_variable) (constant)] @bind right: (_) @value)
(operator_assignment left: [(identifier) (instance_variable) (class_variable)] @bind right: (_) @value)
(left_assignment_list [(identifier) (instance_variable)] @bind)
(left_assignment_list (rest_assignment (identifier) @bind))
(destructured_parameter (identifier) @bind)
(method_parameters (identifier) @bind)
(block_parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(optional_parameter name: (identifier) @bind)
(keyword_parameter name: (identifier) @bind)
(splat_parameter name: (identifier) @bind)
(hash_splat_parameter name: (identifier) @bind)
(block_parameter name: (identifier) @bind)
(exception_variable (identifier) @bind)
(for pattern: (identifier) @bind)
(as_pattern name: (identifier) @bind)
(block) @lambda
(do_block) @lambda
(lambda) @lambda
(constant) @type
(scope_resolution) @type
(identifier) @read
(assignment left: (call method: (identifier) @setter))
(method name: (_) @name body: (body_statement (_) @result . (comment)* .)) @shape
(singleton_method name: (_) @name body: (body_statement (_) @result . (comment)* .)) @shape
[(then) (else) (rescue) (if_modifier) (unless_modifier)] @branch
[(while body: (_) @branch) (until body: (_) @branch)]
(binary left: (_) @operand operator: _ @operator right: (_) @operand)
(unary operator: ["-" "+" "!" "~"] @operator operand: (_) @operand)
(element_reference object: (_) @operand . "[" @indexed . (_)? @index)
(assignment left: (element_reference object: (_) @operand . "[" @stored))
(left_assignment_list (element_reference object: (_) @operand . "[" @stored))
(operator_assignment left: (element_reference object: (_) @operand . "[" @updated))
(operator_assignment left: (_) @operand operator: _ @operator right: (_) @operand)
