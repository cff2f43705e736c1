--- Answers `:checkhealth contextd`.
local M = {}

local connection = require('contextd.connection')

--- Maximum milliseconds that the check waits for each answer of the daemon.
local max_wait_ms = 15000

function M.check()
	if vim.fn.has('nvim-0.10') == 0 then
		local old_health = require('health')
		old_health.report_start('contextd')
		return old_health.report_error('Neovim 0.10 or later is needed', { 'Use the status line snippet of docs/editors.md' })
	end
	local health = vim.health
	health.start('contextd')
	health.ok(('Neovim %s'):format(vim.version()))
	local command = require('contextd.config').current.cmd
	local path = vim.fn.exepath(command[1])
	if path == '' then
		return health.error(('the command "%s" is not on the path'):format(command[1]), 'Install contextd, or set cmd in setup{}')
	end
	health.ok(('the command %s'):format(path))
	local err, result = connection.wait('session/newest', { workspace = vim.fn.getcwd() }, max_wait_ms)
	if err then return health.error(err, 'Run "contextd doctor" in a terminal') end
	health.ok(('the daemon answers, version %s'):format(connection.version()))
	local session = result.session
	if not session then
		health.warn(('no agent has worked in %s yet, so there is nothing to measure'):format(vim.fn.getcwd()))
	elseif session.mirror then
		health.ok(('the newest session is of %s: %s'):format(session.mirror.label, session.mirror.transcript))
	else
		health.ok(('the newest session is %s'):format(session.sessionId))
	end
end

return M
