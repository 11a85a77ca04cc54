# Notes which function of a Bash project called which, while its own tests ran: BASH_ENV=…/tracer.sh. The columns of a line
# are explained in dynamic_traces.py. Every command is traced (`set -x`) with who runs it and who called that: a DEBUG
# trap would be taken away by test runners that have one.
exec {BASH_XTRACEFD}>>"$EVERDEX_TRACE_OUT/$$.txt"
PS4='+|${BASH_SOURCE[1]-}|${BASH_LINENO[0]-}|${BASH_SOURCE[0]-}|$LINENO|${FUNCNAME[0]-}|direct|
'
set -x
