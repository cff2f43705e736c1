--- contextd in Neovim: the meter, and commands on the newest session of the working folder.
local M = {}

local connection = require('contextd.connection')
local float = require('contextd.float')
local meter = require('contextd.meter')
local format_tokens = require('contextd.config').format_tokens

--- Maximum number of messages that a search lists.
local max_matches = 100

local function notify(message, level)
	vim.notify(message, level or vim.log.levels.INFO)
end

local function notify_error(err)
	notify(vim.startswith(err, 'contextd') and err or ('contextd: %s'):format(err), vim.log.levels.ERROR)
end

--- Calls back with the newest session. If there is none, or after an error, only shows a message.
local function with_session(callback)
	meter.find(function(err, session)
		if err then return notify_error(err) end
		if not session then return notify(('No agent has worked in %s yet.'):format(vim.fn.getcwd())) end
		callback(session)
	end)
end

--- Sends a request about a session and calls back with the result. Shows errors.
local function request_about(method, session, params, callback)
	connection.request(method, vim.tbl_extend('error', { sessionId = session.sessionId }, params), function(err, result)
		if err then return notify_error(err) end
		callback(result)
	end)
end

local function format_title(session)
	return (vim.fn.strcharpart((session.title or session.sessionId):gsub('%c', ' '), 0, 60))
end

local function add_advice(text, session)
	return session.mirror and ('%s\n\n%s'):format(session.mirror.advice, text) or text
end

--- Applies the settings and starts the meter. See :help contextd-setup.
function M.setup(options)
	if vim.fn.has('nvim-0.10') == 0 then return notify_error('contextd needs Neovim 0.10 or later') end
	require('contextd.config').apply(options)
	connection.stop()
	meter.start()
end

--- Returns the meter for a status line, such as "ctx 47% 71k"; empty until a session is found.
M.status = meter.text

--- Returns the newest result of `context/stats`; nil until a session is found.
M.stats = meter.stats

--- Shows how full the newest session is and what fills it, in a floating window.
function M.show_usage()
	with_session(function(session)
		request_about('context/report', session, { columns = float.max_columns() }, function(report)
			local keys = { { 'c', 'compact', M.compact }, { 'u', 'undo', M.undo } }
			float.show(format_title(session), add_advice(report.text, session), session.mirror and {} or keys)
		end)
	end)
end

local function run_compaction(session)
	vim.cmd.redraw()
	notify('Compacting …')
	request_about('context/compact', session, { includeMessages = false }, function(result)
		if not result or not result.compacted then
			return notify(('Nothing was compacted: %s'):format(result and (result.reason or result.outcome) or 'no messages'))
		end
		request_about('context/stats', session, {}, function(stats)
			local freed, percent = format_tokens(result.tokensSaved), math.floor(stats.usageRatio * 100 + 0.5)
			notify(('Freed %s tokens: the context is %d%% full. :ContextUndo undoes it.'):format(freed, percent))
		end)
	end)
end

--- Shows what a compaction of the newest session would do, asks, and compacts.
function M.compact()
	with_session(function(session)
		local params = { about = 'compaction', columns = float.max_columns() }
		request_about('context/report', session, params, function(report)
			float.show(('Preview: %s'):format(format_title(session)), add_advice(report.text, session), {})
			if session.mirror or not report.wouldCompact then return end
			vim.cmd.redraw()
			local answer = vim.fn.confirm('Compact this session?', '&Yes\n&No', 2)
			float.close()
			if answer == 1 then run_compaction(session) end
		end)
	end)
end

--- Undoes the newest compaction of the newest session.
function M.undo()
	with_session(function(session)
		if session.mirror then
			return notify(('contextd has nothing to undo: only %s can change this session.'):format(session.mirror.label))
		end
		request_about('context/stats', session, {}, function(stats)
			if not stats or not stats.undoable then return notify('There is nothing to undo.') end
			request_about('context/undo', session, { compactionId = stats.undoable.compactionId }, function()
				notify('Undid the newest compaction.')
			end)
		end)
	end)
end

--- Lists the messages of the newest session that contain words, in the quickfix window.
function M.recall(words)
	with_session(function(session)
		request_about('context/recall', session, { query = words, limit = max_matches }, function(result)
			if #result.matches == 0 then return notify(('No message contains: %s'):format(words)) end
			require('contextd.messages').list(session, words, result)
		end)
	end)
end

return M
