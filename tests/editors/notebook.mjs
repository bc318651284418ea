// A notebook in VS Code's own notebook editor: each cell has what belongs to it, and an edit of one reaches the next.
import { EXTENSION, SERVER, folder, part, sure } from './checks.mjs';
import { pause, until } from './workbench.mjs';

const code = (id, ran, source) => ({
  cell_type: 'code',
  id,
  metadata: {},
  execution_count: ran,
  outputs: [],
  source: source.split(/(?<=\n)/),
});
const IMPORTS = `import numpy as np
from typing import Annotated
from dp_types import AddRemove, Private, Static
rng = np.random.default_rng()`;
const HELPER = `def laplace_mech(x, sensitivity, eps):
    return x + rng.laplace(scale=sensitivity / eps)`;
const TOTAL = `def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
    return laplace_mech(np.clip(ages, 0, 80).sum(), 1, eps)`;
const PLAIN = `import numpy as np
def noisy(x, eps):
    return np.mean(x) + np.random.laplace(0, 1 / eps)
`;
const place = folder('notebook', {
  'quiet.py': PLAIN,
  'named/looked.py': PLAIN,
  'ages.ipynb': JSON.stringify({
    cells: [
      { cell_type: 'markdown', id: 'title', metadata: {}, source: ['# Ages'] },
      code('imports', 1, IMPORTS),
      code('helper', 3, HELPER),
      code('total', 2, TOTAL),
    ],
    metadata: {
      kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  }),
});

/** The cells of code, from 0, as they are on the screen. */
const cell = (bench, number) => bench.page.locator('.notebookOverlay .cell-list-container .code-cell-row').nth(number);
const plain = (text) => text.replace(/[\s\u200b-\u200f\u2060]/g, ' ');
const shown = async (found) => plain(await found.locator('.view-lines').innerText());

const lens = async (bench, number) => plain((await cell(bench, number).locator('.codelens-decoration').allInnerTexts()).join('\n'));

/** The problems that are listed. */
async function marked(bench) {
  await bench.page.keyboard.press('Control+Shift+M');
  const rows = bench.page.locator('.markers-panel-container .monaco-list-row');
  await pause(500);
  const found = await rows.allInnerTexts();
  await bench.page.keyboard.press('Control+J');
  return found;
}

/** The cursor into a cell's text. */
async function enter(bench, number, line) {
  await cell(bench, number).locator('.view-line').nth(line).click();
  await bench.page.keyboard.press('End');
}

await part('notebook', { extensions: [EXTENSION], settings: { 'dpLsp.server.path': SERVER, 'dpLsp.pythonInclude': ['named/'] } }, {
  'what is wrong is underlined in its cell, and nowhere else': async (bench) => {
    await bench.visit(place);
    await bench.choose('Control+P', 'ages.ipynb');
    await until('the cells', async () => (await bench.page.locator('.notebookOverlay .code-cell-row').count()) === 3);
    await until('an underline', () => cell(bench, 2).locator('.squiggly-error').count());
    sure((await cell(bench, 1).locator('.squiggly-error').count()) === 0, 'the helper is underlined');
    await bench.picture('broken');
  },
  'a cell that was run before one above it is marked': async (bench) => {
    await until('a warning', () => cell(bench, 2).locator('.squiggly-warning').count());
    await until('the reason', async () => /run as \[2\], before cell 3/.test((await marked(bench)).join('\n')));
  },
  'lenses and hints stand in the cells': async (bench) => {
    await until('the lens of the helper', async () => /eps\/sensitivity/.test(await lens(bench, 1)));
    await until('the lens of the total', async () => /80/.test(await lens(bench, 2)));
    await until('a hint', async () => /ε/.test(await shown(cell(bench, 2))));
  },
  'the problem is listed once': async (bench) => {
    const wrong = async () => (await marked(bench)).filter((text) => /has sensitivity 1, and it has 80/.test(text));
    await until('one problem', async () => (await wrong()).length === 1);
  },
  'hover in a cell': async (bench) => {
    await cell(bench, 2).locator('.view-line').first().getByText('total').first().hover();
    const hover = bench.page.locator('.monaco-hover:visible .hover-contents');
    const found = await until('a hover', async () => plain((await hover.allInnerTexts()).join('\n')));
    sure(/ages/.test(found) && /80/.test(found), `the hover says: ${found}`);
    await bench.picture('hover');
    await bench.page.keyboard.press('Escape');
  },
  'a quick fix mends the cell': async (bench) => {
    const menu = bench.page.locator('.action-widget .monaco-list-row.action');
    await until('quick fixes', async () => {
      await enter(bench, 2, 1);
      for (let steps = 0; steps < 6; steps += 1) {
        await bench.page.keyboard.press('ArrowLeft'); // before the 1 of `, 1, eps)`
      }
      await bench.page.keyboard.press('Control+.');
      await pause(1000);
      if ((await menu.allInnerTexts()).some((title) => /80/.test(title))) {
        return true;
      }
      await bench.page.keyboard.press('Escape');
      return false;
    });
    await bench.picture('fix');
    await bench.page.keyboard.press('Enter'); // the fix is the first
    await until('the fix in the cell', async () => /sum\(\), 80, eps/.test((await shown(cell(bench, 2))).replace(/sensitivity=|eps=/g, '')));
    await until('no underline', async () => (await bench.page.locator('.notebookOverlay .squiggly-error').count()) === 0);
    await until('the lens says so', async () => /proved/.test(await lens(bench, 2)));
  },
  'the state of the notebook stands in the status bar': async (bench) => {
    await until('proved', async () => /dp-lsp: proved 2/.test(await bench.status()));
  },
  'the report of the notebook, which goes to its cells': async (bench) => {
    await bench.run('dp-lsp: Show the Report of This File');
    const page = bench.page.frameLocator('iframe.webview:visible').last().frameLocator('#active-frame');
    const place = page.getByRole('button', { name: 'cell 4, line 1' });
    await until('a place in a cell', () => place.count());
    await bench.picture('report');
    await place.first().click();
    await until('the cell has the cursor', async () => (await bench.page.locator('.code-cell-row.focused .view-lines').innerText()).includes('total'));
    await bench.picture('gone to');
  },
  'a cell that is moved up is read before the one below it': async (bench) => {
    await bench.run('Notebook: Move Cell Up');
    await until('it is above the helper', async () => /total/.test(await shown(cell(bench, 1))));
    await until('it was run in this order', async () => !/run as/.test((await marked(bench)).join('\n')));
    await bench.picture('moved');
  },
  'an edit of a cell reaches the one that uses it': async (bench) => {
    await enter(bench, 2, 1);
    await bench.page.keyboard.type(' +');
    await until('the other is not proved', async () => /unknown/.test(await lens(bench, 1)));
    await bench.picture('edited');
    await bench.page.keyboard.press('Backspace');
    await bench.page.keyboard.press('Backspace');
    await until('it is proved again', async () => /proved/.test(await lens(bench, 1)));
  },
  'of a file of Python that no setting names nothing is said': async (bench) => {
    await bench.choose('Control+P', 'quiet.py');
    await until('no state', async () => (await bench.status()) === '');
    await bench.choose('Control+P', 'looked.py');
    await until('a state', async () => /dp-lsp: unknown/.test(await bench.status()));
    await until('an underline', () => bench.page.locator('.editor-instance .squiggly-error').count());
    await bench.picture('named');
  },
  'no error is in the log of the extension host': async (bench) => {
    const wrong = bench.errors();
    sure(wrong.length === 0, wrong.join('\n'));
  },
});
