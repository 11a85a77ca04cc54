# Notes which method of a Ruby project called which, while its own tests ran: RUBYOPT="-r …/tracer.rb". The columns of a
# line are explained in dynamic_traces.py.
#
# A method in C between the two has a frame that shows its caller's place, so that two frames at one place mean that the
# upper one is such a method: `Store.new` calls `initialize` by `new`.
module EverdexTracer
  ROOT = "#{ENV.fetch("EVERDEX_TRACE_ROOT")}/"
  SEEN = {}

  def self.file
    unless @pid == Process.pid # a fork has a file of its own
      @pid = Process.pid
      @file = File.open("#{ENV.fetch("EVERDEX_TRACE_OUT")}/#{@pid}.txt", "a")
      @file.sync = true
    end
    @file
  end

  TRACE = TracePoint.new(:call) do |point|
    next unless point.path.start_with?(ROOT)
    frames = caller_locations(2, 2)
    nearest, below = frames
    next unless nearest&.path&.start_with?(ROOT)
    by_builtin = below && below.path == nearest.path && below.lineno == nearest.lineno &&
      nearest.label != below.label && !nearest.label.match?(/ in |[<>]/)
    way = by_builtin ? nearest.label : "direct"
    row = [nearest.path, nearest.lineno, point.path, point.lineno, point.callee_id, way].join("|")
    next if SEEN[row]
    SEEN[row] = true
    file.puts("+|#{row}|")
  end
  TRACE.enable
end
