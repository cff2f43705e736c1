--- Shows a text in a floating window.
local M = {}

local last_window

local function close()
	if last_window and vim.api.nvim_win_is_valid(last_window) then vim.api.nvim_win_close(last_window, true) end
	last_window = nil
end

--- Returns the maximum number of columns of a text in the window.
function M.max_columns()
	return math.max(20, math.min(100, vim.o.columns - 6))
end

--- Shows a text. `keys` lists the window's key bindings as { key, hint, function }.
function M.show(title, text, keys)
	close()
	local lines = vim.split(vim.trim(text), '\n')
	local buffer = vim.api.nvim_create_buf(false, true)
	vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
	vim.bo[buffer].modifiable = false
	vim.bo[buffer].bufhidden = 'wipe'
	vim.bo[buffer].filetype = 'contextd'
	local width = M.max_columns()
	local hints = { 'q: close' }
	for _, key in ipairs(keys) do
		table.insert(hints, ('%s: %s'):format(key[1], key[2]))
	end
	local rows = 0
	for _, line in ipairs(lines) do
		rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
	end
	local height = math.max(1, math.min(rows, vim.o.lines - vim.o.cmdheight - 4))
	last_window = vim.api.nvim_open_win(buffer, true, {
		relative = 'editor',
		width = width,
		height = height,
		col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
		row = math.max(0, math.floor((vim.o.lines - height) / 2) - 2),
		border = 'rounded',
		style = 'minimal',
		title = (' %s '):format(title),
		footer = (' %s '):format(table.concat(hints, '   ')),
	})
	vim.wo[last_window].wrap = true
	vim.wo[last_window].linebreak = true
	for _, key in ipairs({ 'q', '<Esc>' }) do
		vim.keymap.set('n', key, close, { buffer = buffer, nowait = true })
	end
	for _, key in ipairs(keys) do
		vim.keymap.set('n', key[1], key[3], { buffer = buffer, nowait = true })
	end
end

M.close = close

return M
