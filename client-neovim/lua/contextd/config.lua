--- The settings of the plugin.
local M = {}

M.defaults = {
	--- The command that connects to the daemon, with its arguments.
	cmd = { 'contextd', '--stdio' },
	--- Seconds between two searches for a newer session. Changes of the current session are shown at once.
	refresh_seconds = 10,
	--- Returns the text of the meter for `stats`, a result of `context/stats`.
	format = function(stats)
		local guess_mark = stats.limit.of == 'guess' and '~' or ''
		local left = stats.availableInputTokens - stats.estimatedInputTokens
		return ('ctx %s%d%% %s'):format(guess_mark, math.floor(stats.usageRatio * 100 + 0.5), M.format_tokens(left))
	end,
}

M.current = M.defaults

--- Formats a number of tokens: 950, 41k, 1.2M.
function M.format_tokens(tokens)
	local sign, size = tokens < 0 and '-' or '', math.abs(tokens)
	if size < 1000 then return ('%s%d'):format(sign, size) end
	if size < 999500 then return ('%s%dk'):format(sign, math.floor(size / 1000 + 0.5)) end
	return ('%s%.1fM'):format(sign, size / 1e6)
end

--- Applies the user's settings. Raises an error that names a wrong setting.
function M.apply(options)
	options = options or {}
	for name, value in pairs(options) do
		local expected = type(M.defaults[name])
		if expected == 'nil' then
			local known = vim.tbl_keys(M.defaults)
			table.sort(known)
			error(('contextd.setup: unknown setting "%s", expected %s'):format(name, table.concat(known, ', ')), 0)
		end
		if type(value) ~= expected then
			error(('contextd.setup: %s: expected a %s, got a %s'):format(name, expected, type(value)), 0)
		end
	end
	M.current = vim.tbl_extend('force', M.defaults, options)
end

return M
