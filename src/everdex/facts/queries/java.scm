(method_invocation object: (_)? @receiver name: (identifier) @call arguments: (_) @arguments)
(object_creation_expression type: (_) @new arguments: (_) @arguments)
(explicit_constructor_invocation constructor: (_) @call arguments: (_) @arguments)
(enum_constant name: (identifier) @name arguments: (_)) @shape
(import_declaration) @import
(package_declaration (_) @package)
(annotation_type_element_declaration type: (_) @returns name: (_) @name) @shape
(method_declaration type: (_) @returns name: (_) @name parameters: (_) @parameters) @shape
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @returns name: (_) @name) @shape))
(constructor_declaration name: (_) @name parameters: (_) @parameters) @shape
(annotation_type_element_declaration name: (_) @name) @shape
(class_declaration name: (_) @name superclass: (superclass (_) @base)) @shape
(class_declaration name: (_) @name interfaces: (super_interfaces (type_list) @base)) @shape
(enum_declaration name: (_) @name interfaces: (super_interfaces (type_list) @base)) @shape
(record_declaration name: (_) @name parameters: (_) @parameters interfaces: (super_interfaces (type_list) @base)?) @shape
(interface_declaration name: (_) @name (extends_interfaces (type_list) @base)) @shape
(method_declaration (modifiers "static" @static))
(class_declaration (modifiers "static" @static))
(field_declaration type: (_) @stated declarator: (variable_declarator name: (identifier) @bind value: (_)? @value))
(constant_declaration type: (_) @stated declarator: (variable_declarator name: (identifier) @bind value: (_)? @value))
(local_variable_declaration type: (_) @stated declarator: (variable_declarator name: (identifier) @bind value: (_)? @value))
(formal_parameter type: (_) @stated name: (identifier) @bind)
(spread_parameter (_) @stated (variable_declarator name: (identifier) @bind))
(resource type: (_) @stated name: (identifier) @bind value: (_)? @value)
(enhanced_for_statement type: (_) @stated name: (identifier) @bind value: (_) @each)
(catch_formal_parameter (catch_type . (_) @stated) name: (identifier) @bind)
(instanceof_expression right: (_) @stated name: (identifier) @bind)
(type_pattern (_) @stated (identifier) @bind)
(method_invocation object: (_) @given name: (identifier) @by arguments: (argument_list (lambda_expression parameters: [(identifier) @bind (inferred_parameters . (identifier) @bind .)])))
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(lambda_expression) @lambda
(type_identifier) @type
(scoped_type_identifier) @type
(method_reference) @read
(primary_expression/identifier) @read
(field_access object: (_) @receiver field: (identifier) @member)
(switch_expression condition: (parenthesized_expression (_) @receiver) body: (switch_block (_ (switch_label (identifier) @label))))
(assignment_expression left: [(identifier) (field_access)] @write)
(update_expression [(identifier) (field_access)] @write)
(marker_annotation name: (_) @type)
(annotation name: (_) @type)
(type_parameter (type_identifier) @bind (type_bound . (_) @stated))
(object_creation_expression type: (_) @base (class_body) @anonymous)
[(block) (constructor_body) (for_statement) (enhanced_for_statement) (catch_clause) (switch_block) (switch_rule)] @block
(try_with_resources_statement body: (_) @until) @block
; where the condition may be negated, its names may be seen behind the statement
(if_statement condition: (parenthesized_expression [(instanceof_expression) (binary_expression operator: "&&")]) consequence: (_) @until) @block
