(keyframes_statement (keyframes_name) @name) @definition.keyframes
(stylesheet (rule_set (block (declaration (property_name) @name) @definition.variable)) (#match? @name "^--"))
(comment) @doc
