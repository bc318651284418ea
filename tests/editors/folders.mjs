// Two folders with rules of their own, and a Julia language server beside ours.
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { BROKEN, EXTENSION, HOME, SERVER, folder, part, sure } from './checks.mjs';
import { until } from './workbench.mjs';

const place = folder('folders', {
  'strict/strict.jl': BROKEN,
  'strict/dp-lsp.toml': '',
  'lenient/lenient.jl': BROKEN,
  'lenient/dp-lsp.toml': '[severity]\nDP301 = "warning"\n',
});
const both = path.join(place, 'both.code-workspace');
writeFileSync(both, JSON.stringify({ folders: [{ path: 'strict' }, { path: 'lenient' }] }));

const settings = { 'dpLsp.server.path': SERVER };
const julia = path.join(HOME, 'julia-stand-in.vsix');
await part('folders', { extensions: [EXTENSION, julia], settings }, {
  'each folder has its own configuration': async (bench) => {
    await bench.visit(both);
    await bench.open('strict.jl');
    await until('an error', async () => (await bench.squiggles()) > 0);
    await until('failed', async () => /dp-lsp: failed 1/.test(await bench.status()));
    await bench.open('lenient.jl');
    await until('warnings only', async () => (await bench.squiggles()) === 0 && (await bench.squiggles('warning')) > 0);
    await until('unknown', async () => /dp-lsp: unknown 1/.test(await bench.status()));
    sure(bench.servers().length === 1, `there are ${bench.servers().length} servers`);
    await bench.picture('lenient');
  },
  'a Julia language server stands beside ours': async (bench) => {
    await bench.open('strict.jl');
    await bench.page.keyboard.press('Control+Shift+M');
    const problems = bench.page.locator('.markers-panel-container .monaco-list-row');
    await until('problems of both', async () => {
      const texts = (await problems.allInnerTexts()).join('\n');
      return /Julia minds this line/.test(texts) && /DP301/.test(texts);
    });
    await bench.page.keyboard.press('Control+J');
    await bench.focus();
    await bench.go(2, 5);
    await bench.page.keyboard.press('Control+K');
    await bench.page.keyboard.press('Control+I');
    const hover = bench.page.locator('.monaco-hover:visible .hover-contents');
    await until('hovers of both', async () => {
      const texts = (await hover.allInnerTexts()).join('\n');
      return /Julia says/.test(texts) && /sensitivity 2/.test(texts);
    });
    await bench.picture('beside');
    await bench.page.keyboard.press('Escape');
  },
  'no error is in the log of the extension host': async (bench) => {
    const wrong = bench.errors();
    sure(wrong.length === 0, wrong.join('\n'));
  },
});
