(call_expression function: (_) @callee arguments: (argument_list) @arguments)
; `New[int](x)`, which the grammar takes for a conversion
(type_conversion_expression type: (generic_type type: (_) @callee) operand: (_) @arguments)
(import_spec) @import
(package_clause (package_identifier) @package)
(function_declaration name: (_) @name parameters: (_) @parameters result: (_)? @returns) @shape
(method_declaration name: (_) @name parameters: (_) @parameters result: (_)? @returns) @shape
(method_elem name: (_) @name parameters: (_) @parameters result: (_)? @returns) @shape
(struct_type (field_declaration_list (field_declaration !name type: (_) @mixin)))
(interface_type (type_elem . (_) @mixin .))
(field_declaration name: (field_identifier) @bind type: (_) @stated)
(type_spec name: (type_identifier) @bind type: [(type_identifier) (qualified_type) (map_type) (slice_type) (pointer_type)] @stated)
(type_alias name: (type_identifier) @bind type: [(type_identifier) (qualified_type) (map_type) (slice_type) (pointer_type) (generic_type)] @stated)
(parameter_declaration name: (identifier) @bind type: (_) @stated)
(variadic_parameter_declaration name: (identifier) @bind type: (_) @stated)
(var_spec name: (identifier) @bind type: (_) @stated)
(var_spec . name: (identifier) @bind !type value: (expression_list . (_) @value))
(const_spec name: (identifier) @bind)
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list . (identifier) . (identifier) @bind) right: (expression_list . (call_expression) @second .))
(short_var_declaration left: (expression_list (identifier) . (identifier) @bind))
(range_clause left: (expression_list . (_) . (identifier) @bind) right: (_) @each)
(range_clause left: (expression_list . (identifier) @bind .) "range" @received right: (_) @each)
(range_clause left: (expression_list . (identifier) @bind))
(receive_statement left: (expression_list . (identifier) @bind) right: (_) @value)
(receive_statement left: (expression_list (identifier) @bind))
(var_spec name: (identifier) @bind)
(type_switch_statement alias: (expression_list (identifier) @bind) value: (_) @value)
(type_switch_statement alias: (expression_list (identifier) @switch) (type_case . "case" . type: (_) @stated . ":") @case)
(func_literal) @lambda
(type_identifier) @type
(qualified_type) @type
(composite_literal type: [(type_identifier) (qualified_type)] @new)
(_expression/identifier) @read
(selector_expression operand: (_) @receiver field: (_) @member)
(composite_literal type: (_) @stated body: (literal_value) @literal)
(literal_element (literal_value) @literal)
(struct_type) @structure
(keyed_element . (literal_element (identifier) @key))
(assignment_statement left: (expression_list [(identifier) (selector_expression)] @write))
(inc_statement [(identifier) (selector_expression)] @write)
(dec_statement [(identifier) (selector_expression)] @write)
(type_parameter_declaration name: (_) @bind type: (_) @stated)
[(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case) (type_case) (default_case) (communication_case)] @block
