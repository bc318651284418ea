-- What the parts in Neovim share: checks that are timed and written down, one JSON line each, and what is on the screen.
local part, results = ...
local M = {}

function M.until_(what, ask)
  local found
  assert(vim.wait(60000, function()
    found = ask()
    return found and found ~= vim.NIL
  end, 100), what .. ': not within 60 s')
  return found
end

function M.check(name, run)
  local begun = vim.uv.hrtime()
  local ok, problem = pcall(run)
  local seconds = math.floor((vim.uv.hrtime() - begun) / 1e8) / 10
  local line = { part = part, check = name, seconds = seconds, error = not ok and tostring(problem) or nil }
  results:write(vim.json.encode(line), '\n')
  results:flush()
end

local function lines_of(window)
  return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
end

--- The text of the first window that floats.
function M.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return lines_of(window)
    end
  end
end

return M
