-- Prints the messages that Neovim shows of the open file, as soon as there are some.
local seen = vim.wait(240000, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, d in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write("shown: " .. d.message .. "\n")
end
vim.cmd(seen and "qall!" or "cquit")
