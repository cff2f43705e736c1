if vim.g.loaded_contextd then return end
vim.g.loaded_contextd = true

local function create_handler(name)
	return function(command)
		require('contextd')[name](command.args)
	end
end

local commands = {
	Context = { create_handler('show_usage'), 'Show how full the newest session is' },
	ContextCompact = { create_handler('compact'), 'Preview and compact the newest session' },
	ContextUndo = { create_handler('undo'), 'Undo the newest compaction' },
}
for name, command in pairs(commands) do
	vim.api.nvim_create_user_command(name, command[1], { desc = command[2] })
end
vim.api.nvim_create_user_command('ContextRecall', create_handler('recall'), {
	nargs = '+',
	desc = 'List the messages that contain words',
})

vim.api.nvim_create_autocmd('BufReadCmd', {
	group = vim.api.nvim_create_augroup('contextd', {}),
	pattern = 'contextd://*',
	callback = function(event)
		require('contextd.messages').read(event.buf, event.match)
	end,
})
