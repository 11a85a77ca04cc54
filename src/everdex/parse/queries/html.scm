(script_element) @segment.script
(style_element) @segment.style
(comment) @doc
