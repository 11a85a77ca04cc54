(section (atx_heading (atx_h1_marker) heading_content: (inline) @name) @heading.1)
(section (atx_heading (atx_h2_marker) heading_content: (inline) @name) @heading.2)
(section (atx_heading (atx_h3_marker) heading_content: (inline) @name) @heading.3)
(section (atx_heading (atx_h4_marker) heading_content: (inline) @name) @heading.4)
(section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @heading.5)
(section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @heading.6)
(section (setext_heading heading_content: (paragraph) @name (setext_h1_underline)) @heading.1)
(section (setext_heading heading_content: (paragraph) @name (setext_h2_underline)) @heading.2)
(fenced_code_block) @segment.fence
