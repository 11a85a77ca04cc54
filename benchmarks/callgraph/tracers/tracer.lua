-- Notes which function of a Lua project called which, while its own tests ran: LUA_INIT="@…/tracer.lua", for Lua 5.1 to
-- 5.4 and LuaJIT. The columns of a line are explained in dynamic_traces.py.
--
-- A tail call leaves no frame of its caller. Who that was is known from the line that ran last, or that the last return
-- led to.
local root = os.getenv("EVERDEX_TRACE_ROOT") .. "/"
local directory = os.getenv("EVERDEX_TRACE_OUT")
local getinfo, sethook, running = debug.getinfo, debug.sethook, coroutine.running
local out = io.open(os.tmpname():gsub("^.*/", directory .. "/") .. ".txt", "a")
out:setvbuf("line")
local seen, last_source, last_line = {}, nil, 0
local tail_event = _VERSION == "Lua 5.1" and "tail return" or "tail call"

local function path_of(source)
  if source:sub(1, 1) ~= "@" then return nil end
  local path = source:sub(2):gsub("^%./", "")
  if path:sub(1, 1) ~= "/" then path = root .. path end
  return path:sub(1, #root) == root and path or nil
end

local function hook(event)
  if event == "line" then
    local own = getinfo(2, "Sl")
    last_source, last_line = own.source, own.currentline
  elseif event == "return" then
    local below = getinfo(3, "Sl")
    if below and below.what ~= "C" then last_source, last_line = below.source, below.currentline end
  elseif event == "call" or event == "tail call" then
    local own = getinfo(2, "Sn")
    local callee = own.what == "Lua" and path_of(own.source)
    if not callee then return end
    local source, line, way, name = last_source, last_line, "direct", own.name or ""
    if event == "call" then
      local level, below = 3, getinfo(3, "Sln")
      while below and below.what == "C" do
        way = below.name or "?"
        level = level + 1
        below = getinfo(level, "Sln")
      end
      if not below or below.what == "tail" then return end
      source, line = below.source, below.currentline
      if own.namewhat == "metamethod" or own.namewhat == "for iterator" then way = own.namewhat end
    end
    local caller = source and path_of(source)
    if not caller then return end
    local row = table.concat({ caller, line, callee, own.linedefined, name, way }, "|")
    if not seen[row] then
      seen[row] = true
      out:write("+|", row, "|\n")
    end
  end
end

local create, wrap = coroutine.create, coroutine.wrap
local function hooked(body)
  return function(...)
    sethook(hook, "crl")
    return body(...)
  end
end
coroutine.create = function(body) return create(hooked(body)) end
coroutine.wrap = function(body) return wrap(hooked(body)) end
sethook(hook, "crl")
