--- The connection to the daemon. It starts with the first request, and again after the process has ended.
local M = {}

local config = require('contextd.config')

--- Called with the session's id when the daemon reports a change.
M.on_change = function() end

local ended = 'contextd has ended; :checkhealth contextd may say why'

local rpc
local server_version
--- Callbacks of requests without an answer, by number.
local pending, last_number = {}, 0

--- Answers all requests that have no answer yet with an error.
local function fail_pending(err)
	local callbacks = pending
	pending = {}
	for _, callback in pairs(callbacks) do
		callback(err)
	end
end

local function on_notification(method, params)
	if method ~= 'context/didChange' then return end
	vim.schedule(function()
		M.on_change(params.sessionId)
	end)
end

local function initialize(started)
	local folder = vim.fn.getcwd()
	local params = {
		processId = vim.uv.os_getpid(),
		clientInfo = { name = 'Neovim', version = tostring(vim.version()) },
		workspaceFolders = { { uri = vim.uri_from_fname(folder), name = vim.fs.basename(folder) } },
		capabilities = { experimental = { contextd = { notifications = true } } },
	}
	started.request('initialize', params, function(_, result)
		if not result then return end
		server_version = result.serverInfo.version
		started.notify('initialized', vim.empty_dict())
	end)
end

--- Starts the process if there is none. Requests may follow at once, because the daemon answers them in order.
--- Returns an error text or nil.
local function connect()
	if rpc then return end
	local command = config.current.cmd
	if vim.fn.executable(command[1] or '') == 0 then
		return ('contextd: cannot find the command "%s"; install contextd, or set cmd'):format(command[1] or '')
	end
	local started
	local ok, problem = pcall(function()
		started = vim.lsp.rpc.start(command, {
			notification = on_notification,
			on_exit = function()
				vim.schedule(function()
					-- A process that was stopped on purpose may end after the next one has started.
					if rpc ~= started then return end
					rpc = nil
					fail_pending(ended)
				end)
			end,
		}, { cwd = vim.fn.getcwd() })
	end)
	if not started then
		return ('contextd: cannot start %s: %s'):format(table.concat(command, ' '), ok and 'see :messages' or problem)
	end
	rpc = started
	initialize(started)
end

--- Returns a result without null, which Neovim represents by nil or by vim.NIL, depending on its version.
local function without_null(result)
	if result == vim.NIL then return nil end
	for name, value in pairs(result or {}) do
		if value == vim.NIL then result[name] = nil end
	end
	return result
end

--- Sends a request. Calls back with an error text or nil, and the result.
function M.request(method, params, callback)
	local problem = connect()
	if problem then return callback(problem) end
	last_number = last_number + 1
	local number = last_number
	pending[number] = callback
	local is_sent = rpc.request(method, params, function(err, result)
		vim.schedule(function()
			-- It may have failed already, because the process ended.
			if not pending[number] then return end
			pending[number] = nil
			if err then return callback(err.message or vim.inspect(err)) end
			callback(nil, without_null(result))
		end)
	end)
	if is_sent then return end
	pending[number] = nil
	callback(ended)
end

--- Waits for the answer to a request. Returns an error text or nil, and the result.
function M.wait(method, params, timeout_ms)
	local answer
	M.request(method, params, function(err, result)
		answer = { err, result }
	end)
	if vim.wait(timeout_ms, function() return answer ~= nil end, 20) then return answer[1], answer[2] end
	return ('contextd did not answer %s in %d seconds'):format(method, timeout_ms / 1000)
end

--- Returns the daemon's version; nil before it is connected.
function M.version()
	return server_version
end

--- Ends the process, so that the next request starts it with other settings.
function M.stop()
	local stopped = rpc
	rpc = nil
	fail_pending('contextd was stopped')
	if stopped then stopped.terminate() end
end

return M
