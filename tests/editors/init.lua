-- What the page of the editor says, and problems behind their lines.
vim.opt.runtimepath:append('/opt/editors/nvim')
vim.lsp.enable('dp_lsp')
vim.lsp.inlay_hint.enable()
vim.lsp.codelens.enable()
vim.diagnostic.config({ virtual_text = true })
vim.o.statusline = '%f  dp-lsp: %{get(b:, "dp_lsp_status", "")}'
