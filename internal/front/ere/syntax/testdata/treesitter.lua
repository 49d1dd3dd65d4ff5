-- Neovim parses texts with a compiled grammar of tree-sitter. ERELONG_PLAN names a file of JSON
-- with the grammar, the texts and a query; ERELONG_RESULT is the file for the trees, and for the
-- number of nodes that the query finds in each.
local function contents(path)
  local f = assert(io.open(path))
  local text = f:read("*a")
  f:close()
  return text
end

local ok, fault = pcall(function()
  local plan = vim.fn.json_decode(contents(os.getenv("ERELONG_PLAN")))
  if vim.treesitter.require_language then
    vim.treesitter.require_language("erelong", plan.grammar)
  else
    vim.treesitter.language.add("erelong", { path = plan.grammar })
  end
  local parse_query = vim.treesitter.query.parse or vim.treesitter.parse_query
  local query = parse_query("erelong", plan.query)
  local trees, found = {}, {}
  for i, text in ipairs(plan.texts) do
    local root = vim.treesitter.get_string_parser(text, "erelong"):parse()[1]:root()
    trees[i] = (root:has_error() and "error: " or "") .. root:sexpr()
    found[i] = 0
    for _ in query:iter_captures(root, text, 0, -1) do
      found[i] = found[i] + 1
    end
  end
  local out = assert(io.open(os.getenv("ERELONG_RESULT"), "w"))
  out:write(vim.fn.json_encode({ trees = trees, found = found }))
  out:close()
end)
if not ok then
  io.stderr:write(tostring(fault) .. "\n")
  vim.cmd("cquit")
end
vim.cmd("qall!")
