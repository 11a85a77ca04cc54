(function_call_expression function: (_) @callee arguments: (_) @arguments)
(member_call_expression object: (_) @receiver name: (_) @call arguments: (_) @arguments)
(nullsafe_member_call_expression object: (_) @receiver name: (_) @call arguments: (_) @arguments)
(scoped_call_expression scope: (_) @receiver name: (_) @call arguments: (_) @arguments)
(object_creation_expression . (_) @new (arguments)? @arguments)
(object_creation_expression . (comment)+ . (_) @new (arguments)? @arguments)
(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
(namespace_definition name: (_) @package !body)
(function_definition name: (_) @name parameters: (_) @parameters return_type: (_)? @returns) @shape
(method_declaration name: (_) @name parameters: (_) @parameters return_type: (_)? @returns) @shape
(method_declaration name: (_) @name body: (compound_statement (return_statement (_) @result) . (comment)* .)) @shape
(function_definition name: (_) @name body: (compound_statement (return_statement (_) @result) . (comment)* .)) @shape
(if_statement body: (_) @branch)
(else_clause) @branch
(else_if_clause body: (_) @branch)
(case_statement) @branch
(default_statement) @branch
(while_statement body: (_) @branch)
(for_statement body: (_) @branch)
(foreach_statement body: (_) @branch)
(catch_clause) @branch
(class_declaration name: (_) @name (base_clause (_) @base)) @shape
(class_declaration name: (_) @name (class_interface_clause (_) @base)) @shape
(enum_declaration name: (_) @name (class_interface_clause (_) @base)) @shape
(interface_declaration name: (_) @name (base_clause (_) @base)) @shape
(use_declaration (_) @mixin)
(method_declaration (static_modifier) @static)
(property_declaration type: (_) @stated (property_element name: (variable_name (name) @bind)))
(simple_parameter type: (_)? @stated name: (variable_name) @bind)
(property_promotion_parameter type: (_)? @stated name: (variable_name) @bind)
(property_promotion_parameter type: (_)? @stated name: (variable_name) @promoted)
(variadic_parameter name: (variable_name) @bind)
(assignment_expression left: [(variable_name) (member_access_expression)] @bind right: (_) @value)
(foreach_statement (_) @each . (variable_name) @bind body: (_))
(foreach_statement (_) @each . (by_ref (variable_name) @bind) body: (_))
(foreach_statement (_) @each . (pair (_) . (variable_name) @bind) body: (_))
(foreach_statement (_) @each . (pair (_) . (by_ref (variable_name) @bind)) body: (_))
(catch_clause type: (_) @stated name: (variable_name) @bind)
(anonymous_function) @lambda
(arrow_function) @lambda
(named_type) @type
(base_clause (_) @type)
(class_interface_clause (_) @type)
(class_constant_access_expression . [(name) (qualified_name)] @type)
(scoped_call_expression scope: [(name) (qualified_name)] @type)
(scoped_property_access_expression scope: [(name) (qualified_name)] @type)
(binary_expression operator: "instanceof" right: [(name) (qualified_name)] @type)
(binary_expression left: [(variable_name) (member_access_expression)] @narrowed operator: "instanceof" right: [(name) (qualified_name)] @stated)
(member_access_expression object: (_) @receiver name: (name) @member)
(nullsafe_member_access_expression object: (_) @receiver name: (name) @member)
(scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @member))
(class_constant_access_expression . (_) @receiver . (name) @member)
(update_expression argument: [(member_access_expression) (scoped_property_access_expression)] @write)
(assignment_expression left: [(member_access_expression) (scoped_property_access_expression)] @write)
(augmented_assignment_expression left: [(member_access_expression) (scoped_property_access_expression)] @write)
((comment) @documented (#match? @documented "^/[*][*][^@]*@(param|return|var|template|psalm|phpstan)"))
