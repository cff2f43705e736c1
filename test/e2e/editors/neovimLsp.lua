-- Talks to the daemon as a user's configuration does, by Neovim's own client, and writes what came back as JSON.
-- With CONTEXTD_TEST_PUSH the settings are sent as Neovim's manual says (:help vim.lsp.start_client); otherwise the daemon
-- asks for them.
-- Variables: CONTEXTD_TEST_COMMAND (JSON: the daemon's command), CONTEXTD_TEST_SETTINGS (JSON), CONTEXTD_TEST_OUT (file).
local command = vim.fn.json_decode(vim.env.CONTEXTD_TEST_COMMAND)
local result = { logged = {} }

local capabilities = vim.lsp.protocol.make_client_capabilities()
capabilities.workspace.configuration = not vim.env.CONTEXTD_TEST_PUSH

local id = vim.lsp.start_client({
	name = 'contextd',
	cmd = command,
	capabilities = capabilities,
	on_init = function(started)
		if vim.env.CONTEXTD_TEST_PUSH then
			started.notify('workspace/didChangeConfiguration', { settings = started.config.settings })
		end
	end,
	root_dir = vim.fn.getcwd(),
	settings = vim.fn.json_decode(vim.env.CONTEXTD_TEST_SETTINGS),
	handlers = {
		['window/logMessage'] = function(_, params)
			table.insert(result.logged, params.message)
		end,
	},
	on_exit = function(code)
		result.exitCode = code
	end,
})
local client

vim.wait(30000, function()
	client = vim.lsp.get_client_by_id(id)
	return client ~= nil and client.initialized == true
end)

local function request(method, params)
	local answer
	client.request(method, params, function(err, value)
		answer = { err = err, value = value }
	end, 0)
	vim.wait(30000, function()
		return answer ~= nil
	end)
	return answer.err or answer.value
end

local function run(name, argument)
	return request('workspace/executeCommand', { command = name, arguments = { argument } })
end

run('contextd.session.open', { sessionId = 's' })
run('contextd.session.append', { sessionId = 's', messages = { { role = 'user', content = 'hi' } } })
-- Settings arrive after the first answers.
vim.wait(10000, function()
	result.threshold = run('contextd.context.stats', { sessionId = 's' }).thresholds.compact
	return result.threshold ~= 0.8
end, 50)
result.custom = request('context/stats', { sessionId = 's' }).messageCount
result.workDoneProgress = client.server_capabilities.executeCommandProvider.workDoneProgress
vim.lsp.stop_client(id)
vim.wait(30000, function()
	return result.exitCode ~= nil
end)
vim.fn.writefile({ vim.fn.json_encode(result) }, vim.env.CONTEXTD_TEST_OUT)
vim.cmd('qa!')
