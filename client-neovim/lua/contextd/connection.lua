--- The connection to the daemon. It starts with the first request, and again after the process has ended.
local M = {}

local config = require('contextd.config')

--- Called with the session's id when the daemon reports a change.
M.on_change = function() end

local rpc
--- Requests that wait for the response to `initialize`.
local waiting
local server_version

local function flush(err)
	local callbacks = waiting or {}
	waiting = nil
	for _, callback in ipairs(callbacks) do
		callback(err)
	end
end

local function on_notification(method, params)
	if method ~= 'context/didChange' then return end
	vim.schedule(function()
		M.on_change(params.sessionId)
	end)
end

--- Returns the text of an error: a response's, or one of this file.
local function text_of(err)
	return type(err) == 'table' and (err.message or vim.inspect(err)) or err
end

local function initialize()
	local folder = vim.fn.getcwd()
	local params = {
		processId = vim.uv.os_getpid(),
		clientInfo = { name = 'Neovim', version = tostring(vim.version()) },
		workspaceFolders = { { uri = vim.uri_from_fname(folder), name = vim.fs.basename(folder) } },
		capabilities = { experimental = { contextd = { notifications = true } } },
	}
	rpc.request('initialize', params, function(err, result)
		vim.schedule(function()
			if err then return flush(text_of(err)) end
			server_version = result.serverInfo.version
			rpc.notify('initialized', vim.empty_dict())
			flush()
		end)
	end)
end

--- Calls back when the daemon is connected, with an error if it is not.
local function connect(callback)
	if rpc and not waiting then return callback() end
	if waiting then
		table.insert(waiting, callback)
		return
	end
	local command = config.current.cmd
	if vim.fn.executable(command[1]) == 0 then
		return callback(('contextd: cannot find the command "%s"; install contextd, or set cmd'):format(command[1]))
	end
	waiting = { callback }
	local started
	local ok, problem = pcall(function()
		started = vim.lsp.rpc.start(command, {
			notification = on_notification,
			on_exit = function()
				vim.schedule(function()
					-- A process that was stopped on purpose may end after the next one has started.
					if rpc ~= started then return end
					rpc = nil
					flush('contextd has ended; :checkhealth contextd may say why')
				end)
			end,
		}, { cwd = vim.fn.getcwd() })
	end)
	if not started then
		return flush(('contextd: cannot start %s: %s'):format(table.concat(command, ' '), ok and 'see :messages' or problem))
	end
	rpc = started
	initialize()
end

--- Sends a request. Calls back with an error text or nil, and the result.
function M.request(method, params, callback)
	connect(function(err)
		if err then return callback(err) end
		if not rpc then return callback('contextd has ended') end
		rpc.request(method, params, function(failure, result)
			vim.schedule(function()
				if failure then return callback(text_of(failure)) end
				callback(nil, result)
			end)
		end)
	end)
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
	flush('contextd was stopped')
	if stopped then stopped.terminate() end
end

return M
