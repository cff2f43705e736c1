-- Prints how full a session's window is, from Neovim: nvim --headless -u NONE -c 'luafile stats.lua'
-- CONTEXTD names the command, by default `contextd`.

local command = { os.getenv('CONTEXTD') or 'contextd', '--stdio', '--framing=ndjson' }
local answers, rest, nextId = {}, '', 0

local job = vim.fn.jobstart(command, {
  on_stdout = function(_, lines)
    -- The last element is the beginning of a line that is not complete yet.
    rest = rest .. lines[1]
    for index = 2, #lines do
      local message = vim.fn.json_decode(rest)
      if message.id then answers[message.id] = message end
      rest = lines[index]
    end
  end,
})

local function send(message)
  message.jsonrpc = '2.0'
  vim.fn.chansend(job, vim.fn.json_encode(message) .. '\n')
end

--- Sends a request and waits for its result. Raises an error with the daemon's message if it fails.
local function request(method, params)
  nextId = nextId + 1
  local id = nextId
  send({ id = id, method = method, params = params })
  assert(vim.wait(60000, function() return answers[id] ~= nil end, 10), method .. ' was not answered')
  if answers[id].error then error(answers[id].error.message) end
  return answers[id].result
end

request('initialize', { processId = vim.fn.getpid(), rootUri = vim.NIL, capabilities = vim.empty_dict() })
send({ method = 'initialized', params = vim.empty_dict() })
request('session/open', { sessionId = 'from-lua', model = 'claude-sonnet-4-5' })
request('session/append', {
  sessionId = 'from-lua',
  messages = { { id = 'm1', role = 'user', content = 'Why does the build fail?' } },
})
local stats = request('context/stats', { sessionId = 'from-lua' })
print(stats.estimatedInputTokens .. ' of ' .. stats.availableInputTokens .. ' tokens')
request('shutdown')
send({ method = 'exit' })
vim.cmd('qall!')
