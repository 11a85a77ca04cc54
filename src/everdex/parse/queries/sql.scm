(create_table (object_reference) @name) @definition.table
(create_view (object_reference) @name) @definition.view
(create_materialized_view (object_reference) @name) @definition.view
(create_function (object_reference) @name) @definition.function
(create_index column: (identifier) @name) @definition.index
(create_type (object_reference) @name) @definition.type
(create_trigger (object_reference) @name) @definition.trigger
(create_schema (identifier) @name) @definition.schema
(statement) @outer
(comment) @doc
(marginalia) @doc
