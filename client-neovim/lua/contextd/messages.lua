--- Lists messages of a session, and shows them in buffers named contextd://SESSION/MESSAGE.
local M = {}

local connection = require('contextd.connection')

--- Maximum milliseconds that opening a message waits for the daemon.
local max_wait_ms = 10000
--- Maximum UTF-16 units of a shown message.
local max_units = 5000000

local function format_buffer_name(session_id, message_id)
	return ('contextd://%s/%s'):format(vim.uri_encode(session_id, 'rfc2396'), vim.uri_encode(message_id, 'rfc2396'))
end

--- Returns a pattern that matches any of the words; ignores case.
local function create_pattern(words)
	local escaped = vim.tbl_map(function(word)
		return vim.fn.escape(word, [[\/]])
	end, vim.split(words, '%s+', { trimempty = true }))
	return ([[\c\V\(%s\)]]):format(table.concat(escaped, [[\|]]))
end

--- Fills a buffer with the message that its name identifies.
function M.read(buffer, name)
	local session_id, message_id = name:match('^contextd://([^/]+)/(.+)$')
	if not session_id then return vim.notify(('contextd: no message in the name %s'):format(name), vim.log.levels.ERROR) end
	local err, result = connection.wait('context/original', {
		sessionId = vim.uri_decode(session_id),
		messageId = vim.uri_decode(message_id),
		limit = max_units,
	}, max_wait_ms)
	local text = err and ('contextd: %s'):format(err) or result.content
	-- An earlier read has made the buffer unmodifiable.
	vim.bo[buffer].modifiable = true
	vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\r?\n'))
	vim.bo[buffer].buftype = 'nofile'
	vim.bo[buffer].swapfile = false
	vim.bo[buffer].modifiable = false
	vim.bo[buffer].modified = false
end

--- Returns the lines of the quickfix window; leaves out the search patterns.
local function format_quickfix_lines(info)
	local items = vim.fn.getqflist({ id = info.id, items = 1 }).items
	local lines = {}
	for index = info.start_idx, info.end_idx do
		table.insert(lines, ('%s  %s'):format(items[index].module, items[index].text))
	end
	return lines
end

--- Shows the found messages of a session in the quickfix window. `result` is a result of `context/recall`.
function M.list(session, words, result)
	local pattern = create_pattern(words)
	local items = vim.tbl_map(function(match)
		local source = match.toolName or match.role
		local state = match.visible and '' or ' (removed)'
		return {
			filename = format_buffer_name(session.sessionId, match.messageId),
			module = ('%s %s%s'):format(match.messageId, source, state),
			pattern = pattern,
			text = (match.excerpt:gsub('[%s%c]+', ' ')),
		}
	end, result.matches)
	local title = ('%d of %d messages with: %s'):format(#items, result.total, words)
	vim.fn.setqflist({}, ' ', { title = title, items = items, quickfixtextfunc = format_quickfix_lines })
	vim.cmd.copen()
end

return M
