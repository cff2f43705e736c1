--- The meter: figures of the newest session in the working folder. They are cached, so reading them never waits.
local M = {}

local config = require('contextd.config')
local connection = require('contextd.connection')

--- The newest session, its figures, and the text of the meter.
local session, stats
local text = ''
local timer

local function show(new_stats)
	stats = new_stats
	local ok, shown = pcall(function()
		return stats and config.current.format(stats) or ''
	end)
	if not ok then shown = 'ctx: format failed' end
	if shown == text then return end
	text = shown
	vim.cmd.redrawstatus({ bang = true })
end

local function measure()
	local current = session
	if not current then return show(nil) end
	connection.request('context/stats', { sessionId = current.sessionId }, function(err, result)
		if session == current and not err then show(result) end
	end)
end

--- Finds the newest session of the working folder. Calls back with an error's text (or nil) and the session (or nil).
function M.find(callback)
	connection.request('session/newest', { workspace = vim.fn.getcwd() }, function(err, result)
		if err then return callback(err) end
		local last = session
		session = result.session
		if last and (not session or last.sessionId ~= session.sessionId) then
			connection.request('session/close', { sessionId = last.sessionId }, function() end)
		end
		measure()
		callback(nil, session)
	end)
end

--- Starts updating the meter. An error empties the meter; the commands and :checkhealth report the error.
function M.start()
	if timer then timer:stop() end
	timer = timer or vim.uv.new_timer()
	connection.on_change = function(session_id)
		if session and session.sessionId == session_id then measure() end
	end
	local function refresh()
		M.find(function(err)
			if err then show(nil) end
		end)
	end
	timer:start(0, config.current.refresh_seconds * 1000, vim.schedule_wrap(refresh))
end

function M.text()
	return text
end

function M.stats()
	return stats
end

return M
