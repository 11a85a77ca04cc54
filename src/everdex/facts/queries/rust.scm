(call_expression function: (_) @callee arguments: (_) @arguments)
(macro_invocation macro: (_) @macro)
(token_tree (identifier) @token . (token_tree))
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
(let_condition pattern: (tuple_struct_pattern (identifier) @bind .) value: (_) @value)
(for_expression pattern: (identifier) @bind value: (_) @each)
(closure_parameters (identifier) @bind)
(closure_parameters (parameter pattern: (identifier) @bind type: (_) @stated))
(match_pattern (identifier) @bind)
(tuple_pattern (identifier) @bind)
(ref_pattern (identifier) @bind)
(match_pattern (tuple_struct_pattern (identifier) @bind .))
(closure_expression) @lambda
(type_identifier) @type
(scoped_type_identifier) @type
(scoped_identifier path: [(identifier) @qualifier (scoped_identifier name: (identifier) @qualifier)])
(scoped_type_identifier path: [(identifier) @qualifier (scoped_identifier name: (identifier) @qualifier)])
(token_tree (identifier) @qualifier . "::")
(struct_expression name: (_) @new)
(attribute (identifier) @type)
(arguments [(identifier) (scoped_identifier)] @read)
(tuple_struct_pattern type: (_) @read)
(field_initializer value: [(identifier) (scoped_identifier)] @read)
(let_declaration value: [(identifier) (scoped_identifier)] @read)
(match_pattern (scoped_identifier) @read)
(binary_expression [(identifier) (scoped_identifier)] @read)
(block (scoped_identifier) @read .)
(assignment_expression left: [(identifier) (scoped_identifier) (field_expression)] @write)
(compound_assignment_expr left: [(identifier) (scoped_identifier) (field_expression)] @write)
(type_parameter name: (_) @bind bounds: (_) @stated)
(where_predicate left: (type_identifier) @bind bounds: (_) @stated)
