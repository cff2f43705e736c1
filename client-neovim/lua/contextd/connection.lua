--- The connection to the daemon. The first request starts the process; if the process ends, the next request restarts it.
local M = {}

local config = require('contextd.config')

--- Called with the id of a session when the daemon reports that the session has changed.
M.on_change = function() end

local ended_message = 'contextd has ended; :checkhealth contextd may say why'

local rpc
local server_version
--- Callbacks of unanswered requests by number, and the number of the last request.
local pending, last_number = {}, 0

--- Answers all unanswered requests with an error.
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

--- Starts the process if it does not run. Requests can follow at once, because the daemon answers them in order.
--- Returns the text of an error, or nil.
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
					-- Neovim may report the end of a stopped process after the next process has started.
					if rpc ~= started then return end
					rpc = nil
					fail_pending(ended_message)
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

--- Removes null from a result. Some versions of Neovim represent null by vim.NIL instead of nil.
local function without_null(result)
	if result == vim.NIL then return nil end
	for name, value in pairs(result or {}) do
		if value == vim.NIL then result[name] = nil end
	end
	return result
end

--- Sends a request. Calls back with the text of an error (or nil) and the result.
function M.request(method, params, callback)
	local problem = connect()
	if problem then return callback(problem) end
	last_number = last_number + 1
	local number = last_number
	pending[number] = callback
	local is_sent = rpc.request(method, params, function(err, result)
		vim.schedule(function()
			-- If the process ended, the request has already failed.
			if not pending[number] then return end
			pending[number] = nil
			if err then return callback(err.message or vim.inspect(err)) end
			callback(nil, without_null(result))
		end)
	end)
	if is_sent then return end
	pending[number] = nil
	callback(ended_message)
end

--- Sends a request and waits for the answer. Returns the text of an error (or nil) and the result.
function M.wait(method, params, timeout_ms)
	local answer
	M.request(method, params, function(err, result)
		answer = { err, result }
	end)
	if vim.wait(timeout_ms, function() return answer ~= nil end, 20) then return answer[1], answer[2] end
	return ('contextd did not answer %s in %d seconds'):format(method, timeout_ms / 1000)
end

--- Returns the daemon's version; nil before the daemon has answered.
function M.version()
	return server_version
end

--- Ends the process. The next request starts it again with the current settings.
function M.stop()
	local stopped = rpc
	rpc = nil
	fail_pending('contextd was stopped')
	if stopped then stopped.terminate() end
end

return M
