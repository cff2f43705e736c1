-- Uses client-neovim as a person does, and writes what they would see as JSON to CONTEXTD_TEST_OUT.
local seen = { messages = {} }

vim.notify = function(message)
	table.insert(seen.messages, message)
end

--- Waits until a function returns a value, and returns it.
local function eventually(what, try)
	local value
	vim.wait(60000, function()
		value = try()
		return value
	end, 50)
	if not value then error(('%s did not happen; messages: %s'):format(what, vim.inspect(seen.messages))) end
	return value
end

local function message_like(pattern)
	return eventually(pattern, function()
		for index, message in ipairs(seen.messages) do
			if message:match(pattern) then return table.remove(seen.messages, index) end
		end
	end)
end

--- Returns the text of the floating window, once its title has a pattern, and closes it.
local function float(pattern)
	local text, title
	eventually(('a window %s'):format(pattern), function()
		for _, window in ipairs(vim.api.nvim_list_wins()) do
			title = vim.api.nvim_win_get_config(window).title
			title = title and title[1][1]
			if title and title:match(pattern) then
				local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
				text = table.concat(lines, '\n')
				return true
			end
		end
	end)
	return text
end

local function meter_like(pattern)
	return eventually(('a meter %s'):format(pattern), function()
		local text = vim.api.nvim_eval_statusline("%{v:lua.require'contextd'.status()}", {}).str
		return text:match(pattern) and text
	end)
end

local function run()
	seen.status_at_start = require('contextd').status()
	require('contextd').setup({ refresh_seconds = 1 })
	seen.meter = meter_like('^ctx %d+%% %d+k$')
	vim.cmd.Context()
	seen.usage = float('Departures')
	vim.cmd.normal('q')

	local real_confirm = vim.fn.confirm
	vim.fn.confirm = function(...)
		seen.preview = float('Preview')
		vim.api.nvim_input('y')
		return real_confirm(...)
	end
	vim.cmd.ContextCompact()
	seen.compacted = message_like('^Freed')
	seen.meter_after = eventually('another meter', function()
		local text = require('contextd').status()
		return text ~= seen.meter and text
	end)
	vim.fn.confirm = function()
		return 2
	end
	vim.cmd.ContextUndo()
	seen.undone = message_like('^Undid')
	meter_like(vim.pesc(seen.meter))
	vim.cmd.ContextUndo()
	seen.nothing = message_like('nothing to undo')

	vim.cmd.ContextRecall('SIGNATURE [bracket')
	eventually('a quickfix window', function()
		return vim.bo.buftype == 'quickfix'
	end)
	seen.quickfix = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
	seen.quickfix_title = vim.fn.getqflist({ title = 1 }).title
	vim.cmd.cfirst()
	seen.message_name = vim.api.nvim_buf_get_name(0)
	seen.message_line = vim.api.nvim_get_current_line()
	seen.message_options = { vim.bo.modifiable, vim.bo.modified, vim.bo.buftype }
	vim.cmd.ContextRecall('zero')
	eventually('the odd message', function()
		return vim.fn.getqflist()[1].text:match('^zero byte')
	end)
	vim.cmd.cfirst()
	seen.odd_name = vim.api.nvim_buf_get_name(0)
	seen.odd_line = vim.api.nvim_get_current_line():gsub('%c', '?')
	vim.cmd.ContextRecall('zyxwvut')
	seen.not_found = message_like('^No message contains')

	vim.cmd.checkhealth('contextd')
	seen.health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
	vim.cmd.helptags(vim.env.CONTEXTD_TEST_DOC)
	vim.opt.rtp:append(vim.fs.dirname(vim.env.CONTEXTD_TEST_DOC))
	vim.cmd.help(':ContextRecall')
	seen.help = vim.fs.basename(vim.api.nvim_buf_get_name(0))

	vim.uv.fs_utime(vim.env.CONTEXTD_TEST_TRANSCRIPT, os.time() + 7200, os.time() + 7200)
	meter_like('^ctx 61%% ')
	vim.cmd.ContextCompact()
	seen.mirror = float('Preview: Explain')
	vim.cmd.normal('q')
	vim.cmd.ContextUndo()
	seen.mirror_undo = message_like('only Claude Code')

	vim.cmd.cd(vim.env.CONTEXTD_TEST_DOC)
	meter_like('^$')
	vim.cmd.Context()
	seen.elsewhere = message_like('^No agent has worked')

	seen.bad_setup = { pcall(require('contextd').setup, { cmdd = {} }) }
	seen.bad_type = { pcall(require('contextd').setup, { refresh_seconds = '5' }) }
	require('contextd').setup({ cmd = { 'contextd-that-is-nowhere' } })
	vim.cmd.Context()
	seen.no_command = message_like('cannot find the command')
	require('contextd').setup({ cmd = { 'false' } })
	vim.cmd.Context()
	seen.ended = message_like('has ended')
end

local ok, problem = xpcall(run, debug.traceback)
seen.problem = not ok and problem or nil
local file = assert(io.open(vim.env.CONTEXTD_TEST_OUT, 'w'))
file:write(vim.json.encode(seen))
file:close()
vim.cmd('qall!')
