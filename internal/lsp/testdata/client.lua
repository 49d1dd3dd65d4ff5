-- A client for the test of the server: Neovim, which computes the increments of edits itself.
-- It opens the file that the environment names, changes it by the edits, sends the requests, and
-- writes what it got.
local function read(name)
  local f = assert(io.open(name, 'r'))
  local text = f:read('*a')
  f:close()
  return text
end

local plan = vim.fn.json_decode(read(vim.env.ERELONG_PLAN))
local out = { results = {}, errors = {} }

local function finish()
  local ok, text = pcall(vim.fn.json_encode, out)
  if not ok then
    text = vim.fn.json_encode({ errors = { tostring(text) } })
  end
  local f = assert(io.open(vim.env.ERELONG_RESULT, 'w'))
  f:write(text)
  f:close()
  vim.cmd('qall!')
end

local ok, err = pcall(function()
  vim.cmd('edit ' .. plan.file)
  local buffer = vim.api.nvim_get_current_buf()
  local published = nil
  local id = vim.lsp.start_client({
    name = 'erelong', cmd = { vim.env.ERELONG_SERVER },
    handlers = { ['textDocument/publishDiagnostics'] = function(_, result) published = result end },
  })
  assert(vim.lsp.buf_attach_client(buffer, id))
  assert(vim.wait(20000, function() return published ~= nil end, 20), 'no diagnostics')
  for _, e in ipairs(plan.edits) do
    published = nil
    vim.api.nvim_buf_set_text(buffer, e.line, e.from, e.line, e.to, e.lines)
    assert(vim.wait(20000, function() return published ~= nil end, 20), 'no diagnostics after an edit')
  end
  out.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n') .. '\n'
  for i, r in ipairs(plan.requests) do
    r.params.textDocument = r.params.textDocument and { uri = vim.uri_from_bufnr(buffer) }
    local answers, failure = vim.lsp.buf_request_sync(buffer, r.method, r.params, 20000)
    local answer = answers and answers[id] or { error = { message = failure } }
    if answer.error then
      out.errors[#out.errors + 1] = r.method .. ': ' .. answer.error.message
    end
    out.results[i] = answer.result == nil and vim.NIL or answer.result
  end
  out.diagnostics = published.diagnostics
end)
if not ok then
  out.errors[#out.errors + 1] = tostring(err)
end
finish()
