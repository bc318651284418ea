-- Neovim, without a screen, with the very file that users take. Writes one JSON line a check.
local folder, results = arg[1], io.open(arg[2], 'w')
local broken = folder .. '/broken.jl'
local checks = loadfile('/opt/checks.lua')('neovim', results)
local until_, check, float = checks.until_, checks.check, checks.float

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

vim.opt.runtimepath:append('/opt/editors/nvim')
vim.cmd('filetype plugin on')
vim.lsp.enable('dp_lsp')
vim.lsp.inlay_hint.enable()

check('diagnostics', function()
  vim.cmd.edit(broken)
  local problems = until_('a problem', function()
    local found = vim.diagnostic.get(0)
    return #found > 0 and found
  end)
  assert(problems[1].code == 'DP301' and problems[1].lnum == 2, vim.inspect(problems))
end)

check('the state', function()
  until_('failed', function()
    return vim.b.dp_lsp_status == 'failed'
  end)
end)

check('hover', function()
  vim.api.nvim_win_set_cursor(0, { 2, 4 })
  vim.lsp.buf.hover()
  local shown = until_('a hover', float)
  assert(shown:find('sensitivity', 1, true) and shown:find('2', 1, true), shown)
  vim.cmd.fclose({ bang = true })
end)

check('inlay hint', function()
  until_('a hint', function()
    local found = vim.lsp.inlay_hint.get({ bufnr = 0 })
    return #found > 0 and vim.inspect(found):find('2 in x', 1, true)
  end)
end)

check('a quick fix mends the problem', function()
  vim.api.nvim_win_set_cursor(0, { 3, 32 })
  until_('the fix', function()
    vim.lsp.buf.code_action({
      apply = true,
      filter = function(action)
        return action.title == 'Replace 1 by 2'
      end,
    })
    return vim.wait(2000, function()
      return text():find('laplacian_mechanism(2, 0.5, y)', 1, true) ~= nil
    end, 50)
  end)
  until_('no problem', function()
    return #vim.diagnostic.get(0) == 0
  end)
end)

check('a lens leads to the derivation', function()
  vim.lsp.codelens.enable(true, { bufnr = 0 })
  until_('a lens', function()
    local found = vim.lsp.codelens.get({ bufnr = 0 })
    return #found > 0 and vim.inspect(found):find('proved', 1, true)
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 10 })
  vim.lsp.codelens.run()
  until_('a page', function()
    return vim.bo.filetype == 'markdown' and text():find('noisy', 1, true)
  end)
  vim.cmd.close()
end)

check('rename', function()
  vim.api.nvim_win_set_cursor(0, { 2, 4 })
  vim.lsp.buf.rename('doubled')
  until_('both places', function()
    return select(2, text():gsub('doubled', '')) == 2
  end)
end)

check('the report and a parameter', function()
  vim.cmd.LspDpReport()
  until_('a page', function()
    return vim.bo.filetype == 'markdown' and text():find('1 function', 1, true)
  end)
  vim.cmd.close()
end)

check('no error was told', function()
  local told = vim.api.nvim_exec2('messages', { output = true }).output
  assert(not told:lower():find('error'), told)
end)

results:close()
vim.cmd('qall!')
