(call_expression function: (_) @callee arguments: (_) @arguments)
(macro_invocation macro: (_) @macro)
(token_tree (identifier) @token)
(token_tree [(primitive_type) "union" "default"] @token)
(use_declaration) @import
(extern_crate_declaration) @import
(function_item name: (_) @name parameters: (_) @parameters return_type: (_)? @returns) @shape
(function_signature_item name: (_) @name parameters: (_) @parameters return_type: (_)? @returns) @shape
(trait_item name: (_) @name bounds: (_) @base) @shape
(impl_item trait: (_) @base type: (_) @name) @shape
(enum_variant name: (_) @name body: (ordered_field_declaration_list) @parameters) @shape
(field_declaration name: (_) @bind type: (_) @stated)
(type_item name: (_) @bind type: (_) @stated)
(const_item name: (_) @bind type: (_) @stated)
(static_item name: (_) @bind type: (_) @stated)
(parameter pattern: (identifier) @bind type: (_) @stated)
(parameter pattern: (mut_pattern (identifier) @bind) type: (_) @stated)
(let_declaration pattern: (identifier) @bind type: (_)? @stated value: (_)? @value)
(let_declaration pattern: (tuple_pattern . [(identifier) @bind (mut_pattern (identifier) @bind)]) value: (_) @value)
(let_declaration pattern: (tuple_pattern . "(" . [(_) "_"] . "," . [(identifier) @bind (mut_pattern (identifier) @bind)]) value: (call_expression) @second)
(let_declaration pattern: (tuple_pattern [(identifier) @bind (mut_pattern (identifier) @bind)]) value: [(match_expression) (if_expression)] @value)
; `Some(x)` and `Ok(x)` take out what is looked through
((let_declaration pattern: (tuple_struct_pattern type: (identifier) @wrapper . [(identifier) @bind (mut_pattern (identifier) @bind) (ref_pattern (identifier) @bind) (ref_pattern (mut_pattern (identifier) @bind))] .) value: (_) @value) (#any-of? @wrapper "Some" "Ok"))
((let_condition pattern: (tuple_struct_pattern type: (identifier) @wrapper . [(identifier) @bind (mut_pattern (identifier) @bind) (ref_pattern (identifier) @bind) (ref_pattern (mut_pattern (identifier) @bind))] .) value: (_) @value) (#any-of? @wrapper "Some" "Ok"))
((match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern type: (identifier) @wrapper . [(identifier) @bind (mut_pattern (identifier) @bind) (ref_pattern (identifier) @bind) (ref_pattern (mut_pattern (identifier) @bind))] .))))) (#any-of? @wrapper "Some" "Ok"))
((let_declaration pattern: [(identifier) @bind (mut_pattern (identifier) @bind)] value: (match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern type: (identifier) @wrapper . (identifier) @inner .)) value: (identifier) @given)))) (#any-of? @wrapper "Some" "Ok") (#eq? @inner @given))
(for_expression pattern: [(identifier) @bind (mut_pattern (identifier) @bind) (reference_pattern (identifier) @bind)] value: (_) @each)
(for_expression pattern: (tuple_pattern . "(" . [(_) "_"] . "," @second . [(identifier) @bind (mut_pattern (identifier) @bind)] . ")") value: (_) @each)
(call_expression function: (field_expression value: (_) @given field: (field_identifier) @by) arguments: (arguments (closure_expression parameters: (closure_parameters . [(identifier) @bind (reference_pattern (identifier) @bind)] .))))
(closure_parameters (identifier) @bind)
(closure_parameters (parameter pattern: (identifier) @bind type: (_) @stated))
(_pattern/identifier) @bind
(captured_pattern . (identifier) @bind)
(field_pattern name: (shorthand_field_identifier) @bind)
(closure_expression) @lambda
(type_identifier) @type
(scoped_type_identifier) @type
(scoped_identifier path: [(identifier) @qualifier (scoped_identifier name: (identifier) @qualifier)])
(scoped_type_identifier path: [(identifier) @qualifier (scoped_identifier name: (identifier) @qualifier)])
(token_tree (identifier) @qualifier . "::")
(struct_expression name: (_) @new)
(attribute (identifier) @type)
(tuple_struct_pattern type: (_) @read)
(_pattern/scoped_identifier) @read
(_expression/identifier) @read
(_expression/scoped_identifier) @read
(field_expression value: (_) @receiver field: (field_identifier) @member)
(struct_expression name: (_) @stated body: (field_initializer_list) @literal)
(field_initializer field: (field_identifier) @key)
(shorthand_field_initializer (identifier) @key)
(struct_pattern type: (_) @stated) @literal
(field_pattern name: [(field_identifier) (shorthand_field_identifier)] @taken)
(struct_item body: (ordered_field_declaration_list) @positional)
(enum_variant body: (ordered_field_declaration_list) @positional)
(tuple_struct_pattern) @parted
(assignment_expression left: [(identifier) (scoped_identifier) (field_expression)] @write)
(compound_assignment_expr left: [(identifier) (scoped_identifier) (field_expression)] @write)
(type_parameter name: (_) @bind bounds: (_) @stated)
(where_predicate left: (type_identifier) @bind bounds: (_) @stated)
[(block) (match_arm) (for_expression) (while_expression)] @block
; the names of `if let` are over before its `else`
(if_expression consequence: (_) @until) @block
(binary_expression left: (_) @operand operator: _ @operator right: (_) @operand)
(compound_assignment_expr left: (_) @operand operator: _ @operator right: (_) @operand)
(unary_expression ["-" "!"] @operator (_) @operand)
(index_expression . (_) @operand . "[" @indexed . (_) @index)
(assignment_expression left: (index_expression . (_) @operand . "[" @stored))
(compound_assignment_expr left: (index_expression . (_) @operand . "[" @stored))
(reference_expression (mutable_specifier) value: (index_expression . (_) @operand . "[" @stored))
(field_expression value: (index_expression . (_) @operand . "[" @updated))
