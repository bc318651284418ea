-- Neovim with pyright as another client in a file of Python: each says what is its own, once.
local folder, results = arg[1], io.open(arg[2], 'w')
local checks = loadfile('/opt/checks.lua')('beside', results)
local until_, check, float = checks.until_, checks.check, checks.float

vim.opt.runtimepath:append('/opt/editors/nvim')
vim.cmd('filetype plugin on')
vim.lsp.config('pyright', {
  cmd = { 'node', '/opt/pyright/node_modules/pyright/langserver.index.js', '--stdio' },
  filetypes = { 'python' },
  root_markers = { '.git' },
  settings = { python = { pythonPath = '/opt/server/bin/python' } },
})
vim.lsp.enable({ 'dp_lsp', 'pyright' })

--- The problems of the buffer, by who tells of them.
local function told()
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    found[each.source] = found[each.source] or {}
    table.insert(found[each.source], each)
  end
  return found
end

check('each problem is shown once', function()
  vim.cmd.edit(folder .. '/beside.py')
  local found = until_('problems of both', function()
    local all = told()
    return all['dp-lsp'] and all['Pyright'] and all
  end)
  vim.wait(3000) -- whoever repeats something has had the time for it
  found = told()
  local codes = vim.tbl_map(function(each)
    return each.code
  end, found['dp-lsp'])
  table.sort(codes)
  assert(vim.deep_equal(codes, { 'DP401' }), vim.inspect(codes))
  assert(#found['Pyright'] == 1 and found['Pyright'][1].code == 'reportAssignmentType', vim.inspect(found))
end)

check('hovers of both', function()
  vim.api.nvim_win_set_cursor(0, { 6, 5 })
  vim.lsp.buf.hover()
  local shown = until_('a hover', float)
  assert(shown:find('(function)', 1, true) and shown:find('not private', 1, true), shown)
  vim.cmd.fclose({ bang = true })
end)

check('names and completion are left to pyright', function()
  local client = vim.lsp.get_clients({ bufnr = 0, name = 'dp_lsp' })[1]
  local place = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 5, character = 5 } }
  for _, method in ipairs({ 'completion', 'definition', 'documentSymbol', 'documentHighlight' }) do
    local answer = client:request_sync('textDocument/' .. method, place, 60000)
    local found = answer and answer.result
    assert(not found or found == vim.NIL or #(found.items or found) == 0, method .. ': ' .. vim.inspect(answer))
  end
end)

check('of a file without the words nothing is said', function()
  vim.cmd.edit(folder .. '/plain.py')
  until_('a problem of pyright', function()
    return told()['Pyright']
  end)
  vim.wait(2000)
  assert(not told()['dp-lsp'], vim.inspect(told()))
end)

results:close()
vim.cmd('qall!')
