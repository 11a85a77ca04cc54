(command name: (command_name) @call)
((command name: (command_name) @_m) @import (#any-of? @_m "source" "."))
((command name: (command_name) @_m argument: (word) @read) (#any-of? @_m "trap" "command" "exec" "time" "xargs" "export"))
