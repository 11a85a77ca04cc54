(section . (atx_heading heading_content: (inline) @name)) @definition.heading
(section . (setext_heading heading_content: (paragraph) @name)) @definition.heading
(fenced_code_block) @segment.fence
