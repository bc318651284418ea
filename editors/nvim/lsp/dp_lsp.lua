-- dp-lsp for Neovim 0.11 and newer. Put this file into `lsp/` of your configuration, and into `init.lua`:
--
--   vim.lsp.enable('dp_lsp')

--- Show a page of the server's, which is Markdown, beside the code. `q` closes it.
local function show(page)
  vim.cmd('rightbelow vnew')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(page, '\n'))
  for name, value in pairs({ buftype = 'nofile', bufhidden = 'wipe', filetype = 'markdown', modifiable = false }) do
    vim.bo[buffer][name] = value
  end
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer })
end

--- Have the server run one of its commands. What it answers with is shown, if that is a page.
local function run(client, name, arguments)
  client:request('workspace/executeCommand', { command = name, arguments = arguments }, function(problem, answer)
    if problem then
      vim.notify(problem.message, vim.log.levels.ERROR)
    elseif type(answer) == 'string' then
      show(answer)
    end
  end)
end

--- Whoever has a lens or a code action with one of these commands gets its page.
local function shows(command, context)
  run(assert(vim.lsp.get_client_by_id(context.client_id)), command.command, command.arguments)
end

--- The commands of a buffer that is checked, each with what it does.
local function add_commands(client, buffer)
  local uri = vim.uri_from_bufnr(buffer)
  local function add(name, description, act, options)
    options = vim.tbl_extend('error', { desc = 'dp-lsp: ' .. description }, options or {})
    vim.api.nvim_buf_create_user_command(buffer, name, act, options)
  end
  add('LspDpReport', 'the report of this file', function()
    run(client, 'dp-lsp.showReport', { uri })
  end)
  add('LspDpDerivation', 'what led to the bound under the cursor', function()
    local place = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    run(client, 'dp-lsp.showDerivation', { uri, place })
  end)
  add('LspDpSet', 'give a static parameter a number, as in k=100; k= takes it back', function(given)
    local name, number = given.args:match('^%s*([^=%s]+)%s*=%s*(%S*)%s*$')
    if not name then
      vim.notify('as in :LspDpSet k=100', vim.log.levels.ERROR)
      return
    end
    run(client, 'dp-lsp.setParameter', { uri, name, number ~= '' and number or vim.NIL })
  end, { nargs = 1 })
  add('LspDpRestart', 'begin anew with checking', function()
    run(client, 'dp-lsp.restart', {})
  end)
end

return {
  cmd = { 'dp-lsp', 'server' },
  filetypes = { 'julia', 'python' },
  root_markers = { { 'dp-lsp.toml', 'Project.toml', 'pyproject.toml' }, '.git' },
  settings = { dpLsp = {} },
  capabilities = {
    experimental = { dpFileStatus = true },
    workspace = {
      executeCommand = {}, -- Neovim runs commands, but does not say so
      inlayHint = { refreshSupport = false }, -- it does not draw hints that come late: so the server waits with them
    },
  },
  commands = {
    ['dp-lsp.showDerivation'] = shows,
    ['dp-lsp.showReport'] = shows,
  },
  handlers = {
    -- For a status line: `%{get(b:, 'dp_lsp_status', '')}` is proved, assumed, failed, unknown or stale; empty for a file
    -- of which nothing is said.
    ['dp/fileStatus'] = function(_, status)
      local buffer = vim.uri_to_bufnr(status.uri)
      if vim.api.nvim_buf_is_loaded(buffer) then
        vim.b[buffer].dp_lsp_status = status.asked and status.status or ''
        vim.cmd.redrawstatus()
      end
    end,
  },
  on_attach = add_commands,
}
