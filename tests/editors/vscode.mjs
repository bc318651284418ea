// One user, one folder, one file after the other, in VS Code.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { BROKEN, EXTENSION, ROOT, SERVER, folder, part, sure } from './checks.mjs';
import { pause, until } from './workbench.mjs';

const PICTURES = process.env.DP_LSP_PICTURES; // where the pictures of the documentation go, if they are wanted
const place = folder('vscode', {
  'dp_sgd.jl': path.join(ROOT, 'fixtures', 'programs', 'dp_sgd.jl'),
  'broken.jl': BROKEN,
  'mean.jl': `function mean_height(data::MetricVector(Real, L1), eps::Static(), k::Static(Integer)) :: Priv()
    total = 0.0
    for step in 1:k
        total = laplacian_mechanism(1, eps, sum(data))
    end
    total
end
`,
});
const settings = { 'dpLsp.server.path': SERVER };

async function picture(bench, name) {
  await bench.picture(name);
  if (PICTURES) {
    mkdirSync(PICTURES, { recursive: true });
    await bench.page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
  }
}

const preview = (bench) => bench.page.frameLocator('iframe.webview:visible').last().frameLocator('#active-frame');

await part('vscode', { extensions: [EXTENSION], settings }, {
  'the example is proved: the state, the lenses': async (bench) => {
    await bench.visit(place);
    await bench.open('dp_sgd.jl');
    await until('proved in the status bar', async () => /dp-lsp: proved 1, assumed 3/.test(await bench.status()));
    await until('lenses', async () => (await bench.lenses()).some((lens) => /^assumed: not checked/.test(lens)));
    sure((await bench.squiggles()) === 0, 'something is underlined');
    await bench.go(46);
    await until('the last lens', async () => (await bench.lenses()).some((lens) => /data, labels: ε/.test(lens)));
    await picture(bench, 'example');
  },
  'the underline, the hint, the lens, the problem': async (bench) => {
    await bench.open('broken.jl');
    await until('an underline', () => bench.squiggles());
    await until('a hint', async () => /y = x \+ x *2 in x/.test(await bench.text()));
    await until('a lens', async () => (await bench.lenses()).some((lens) => /^not private: noise for 1, sensitivity 2$/.test(lens)));
    await until('the state', async () => /dp-lsp: failed 1/.test(await bench.status()));
    await bench.page.keyboard.press('Control+Shift+M');
    const problems = bench.page.locator('.markers-panel-container .monaco-list-row');
    await until('a problem', async () => (await problems.allInnerTexts()).some((text) => /DP301|change/.test(text)));
    await picture(bench, 'problem');
    await bench.page.keyboard.press('Control+J');
  },
  'hover': async (bench) => {
    await bench.focus();
    await bench.go(2, 5);
    await bench.page.keyboard.press('Control+K');
    await bench.page.keyboard.press('Control+I');
    const hover = bench.page.locator('.monaco-hover:visible .hover-contents');
    const found = await until('a hover', async () => (await hover.allInnerTexts()).join('\n'));
    sure(/y/.test(found) && /2/.test(found) && /x/.test(found), `the hover says: ${found}`);
    await bench.picture('hover');
    await bench.page.keyboard.press('Escape');
  },
  'signature help marks the parameter that is written': async (bench) => {
    await bench.focus();
    await bench.go(3, 28);
    const active = bench.page.locator('.parameter-hints-widget .signature .parameter.active');
    await until('the second parameter', async () => {
      await bench.page.keyboard.press('Control+Shift+Space');
      await pause(500);
      return /eps/.test((await active.allInnerTexts()).join(' '));
    });
    await bench.picture('signature');
    await bench.page.keyboard.press('Escape');
  },
  'a counterexample stands in the report, beside the problem that it shows': async (bench) => {
    await bench.focus();
    await bench.go(3, 33);
    const offer = bench.page.locator('.action-widget .monaco-list-row.action', { hasText: 'counterexample' });
    await until('the offer', async () => {
      await bench.page.keyboard.press('Control+.');
      await pause(700);
      if (await offer.count()) {
        return true;
      }
      await bench.page.keyboard.press('Escape');
      return false;
    });
    for (let presses = 0; !(await offer.and(bench.page.locator('.focused')).count()); presses += 1) {
      sure(presses < 10, 'it cannot be reached by the keyboard');
      await bench.page.keyboard.press('ArrowDown');
    }
    await bench.page.keyboard.press('Enter');
    const shown = preview(bench).locator('li .counterexample');
    await until('two inputs', async () => /x = 0 and x′ = 1, 1 apart, give 0 and 2/.test((await shown.allInnerTexts()).join()));
    sure(!(await bench.notifications()).some((text) => /ounterexample/.test(text)), 'it is also a message');
    await bench.picture('counterexample');
    await bench.tidy();
    await bench.open('broken.jl');
    await until('an underline', () => bench.squiggles());
  },
  'a quick fix mends the problem': async (bench) => {
    await bench.focus();
    await bench.page.keyboard.press('F8');
    await pause(500);
    await bench.page.keyboard.press('Escape');
    const menu = bench.page.locator('.action-widget .monaco-list-row.action');
    await until('quick fixes', async () => {
      await bench.page.keyboard.press('Control+.');
      await pause(700);
      const titles = await menu.allInnerTexts();
      if (titles.some((title) => /2/.test(title))) {
        return true;
      }
      await bench.page.keyboard.press('Escape');
      return false;
    });
    await bench.picture('fix');
    for (let presses = 0; !/2/.test(await menu.and(bench.page.locator('.focused')).innerText()); presses += 1) {
      sure(presses < 10, 'the fix cannot be reached by the keyboard');
      await bench.page.keyboard.press('ArrowDown');
    }
    await bench.page.keyboard.press('Enter');
    await until('the fix in the text', async () => /laplacian_mechanism\(2, 0.5, y\)/.test(await bench.text()));
    await until('no underline', async () => (await bench.squiggles()) === 0);
    await until('proved', async () => /dp-lsp: proved 1/.test(await bench.status()));
  },
  'rename': async (bench) => {
    await bench.focus();
    await bench.go(2, 5);
    await bench.page.keyboard.press('F2');
    const input = bench.page.locator('.rename-box input');
    await input.waitFor();
    await input.fill('doubled');
    await bench.page.keyboard.press('Enter');
    await until('both places', async () => ((await bench.text()).match(/doubled/g) ?? []).length === 2);
  },
  'break the file and mend it': async (bench) => {
    await bench.fill('function noisy(x::Real) :: Priv()\n    laplacian_mechanism(1, 0.5, x\n');
    await until('unknown', async () => /dp-lsp: unknown/.test(await bench.status()));
    await until('an underline', () => bench.squiggles());
    await bench.fill(BROKEN.replace('mechanism(1', 'mechanism(2'));
    await until('proved', async () => /dp-lsp: proved 1/.test(await bench.status()));
    await until('no underline', async () => (await bench.squiggles()) === 0);
    await bench.page.keyboard.press('Control+S');
  },
  'set a parameter to a number': async (bench) => {
    await bench.open('mean.jl');
    await until('proved', async () => /dp-lsp: proved 1/.test(await bench.status()));
    for (const [name, value] of [['eps', '0.1'], ['k', '10']]) {
      await bench.run('dp-lsp: Set a Parameter to a Number…');
      await bench.pick(name);
      const input = bench.page.locator('.quick-input-widget:visible input');
      await until('the second question', async () => /number/i.test(await bench.page.locator('.quick-input-title').innerText()));
      await input.fill(value);
      await bench.page.keyboard.press('Enter');
      await pause(500);
    }
    await until('numbers in the lens', async () => (await bench.lenses()).some((lens) => /ε 1(\.0*)?\b/.test(lens)));
    await bench.picture('numbers');
  },
  'the report follows the file': async (bench) => {
    await bench.run('dp-lsp: Show the Report of This File');
    const frame = preview(bench);
    await frame.locator('h1').waitFor();
    sure(/mean\.jl\s*✓\s*proved/.test(await frame.locator('h1').innerText()), await frame.locator('h1').innerText());
    const table = await frame.locator('table').first().innerText();
    sure(/With your numbers/.test(table), `the first table is ${table}`);
    await until('the plots', async () => (await frame.locator('figcaption').allInnerTexts()).length === 2);
    const plots = (await frame.locator('figcaption').allInnerTexts()).join('; ');
    sure(/ε against δ, for data; ε against iterations at δ 0, for data/.test(plots), plots);
    await picture(bench, 'report');
    await frame.locator('h2 button').first().click();
    await until('the cursor on line 1', async () => /Ln 1,/.test(await bench.page.locator('.statusbar').innerText()));
    await bench.go(4, 37);
    await bench.page.keyboard.press('Delete');
    await bench.page.keyboard.insertText('0.5');
    await until('failed in the report', async () => /failed/.test(await frame.locator('h1').innerText()));
    await bench.page.keyboard.press('Control+Z');
    await bench.page.keyboard.press('Control+Z');
    await until('proved in it', async () => /proved/.test(await frame.locator('h1').innerText()));
  },
  'private and released are told apart in every theme': async (bench) => {
    await bench.focus();
    // A name may stand for values of several kinds, as a sum does before and after noise is added to it.
    const looks = async (name) => {
      const found = bench.page.locator('.editor-instance .view-line span span', { hasText: new RegExp(`^\\s*${name}$`) });
      return found.evaluateAll((spans) => spans.map((span) => `${getComputedStyle(span).color} ${getComputedStyle(span).fontWeight} ${getComputedStyle(span).fontStyle}`));
    };
    let before = '';
    for (const theme of ['Dark Modern', 'Dark High Contrast', 'Light High Contrast', 'Monokai', 'Solarized Light', 'Light Modern']) {
      await bench.run('Preferences: Color Theme');
      await bench.pick(theme);
      await until(`the colours of ${theme}`, async () => {
        const [datas, [k], totals] = [await looks('data'), await looks('k'), await looks('total')];
        const [data] = datas;
        const released = totals.find((each) => /italic$/.test(each));
        const found = [data, k, released].join();
        const told = datas.every((each) => /normal$/.test(each)) && released && new Set([data, k, released]).size === 3;
        return told && (found !== before) && (before = found);
      });
      await bench.picture(`colours in ${theme}`);
    }
  },
  'the report is in the colours of every theme': async (bench) => {
    const frame = preview(bench);
    await frame.locator('figure').last().scrollIntoViewIfNeeded();
    const back = () => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    for (const [theme, colour] of [['Dark Modern', '31, 31, 31'], ['Dark High Contrast', '0, 0, 0'], ['Light Modern', '255, 255, 255']]) {
      await bench.run('Preferences: Color Theme');
      await bench.pick(theme);
      await until(theme, async () => (await back()) === `rgb(${colour})`);
      await bench.picture(`report in ${theme}`);
    }
  },
  'a plot that lacks numbers asks for them': async (bench) => {
    await bench.tidy();
    await bench.open('dp_sgd.jl');
    await until('proved', async () => /dp-lsp: proved 1, assumed 3/.test(await bench.status()));
    await bench.run('dp-lsp: Show the Report of This File');
    await preview(bench).getByRole('button', { name: 'Set a number…' }).click();
    await until('the question', async () => /Which parameter/.test(await bench.page.locator('.quick-input-title').innerText()));
    const offered = bench.page.locator('.quick-input-list .monaco-list-row');
    const names = (await offered.allInnerTexts()).join();
    sure(names.includes('rows(data)'), `what is missing is not offered: ${names}`);
    await bench.picture('missing');
    await bench.page.keyboard.press('Escape');
  },
  'a lens leads to the derivation': async (bench) => {
    await bench.tidy();
    await bench.open('broken.jl');
    const lens = bench.page.locator('.codelens-decoration a', { hasText: 'proved' }).first();
    await lens.waitFor();
    await lens.click();
    await preview(bench).locator('h1').waitFor();
    sure(/noisy/.test(await preview(bench).locator('h1').innerText()), 'the page is about something else');
    await bench.picture('derivation');
    await bench.tidy();
  },
  'the server is killed and comes back': async (bench) => {
    await bench.open('broken.jl');
    await until('proved', async () => /dp-lsp: proved 1/.test(await bench.status()));
    const before = bench.servers();
    sure(before.length > 0, 'no server is found among the processes');
    before.forEach((id) => process.kill(id, 'SIGKILL'));
    await until('another server', () => bench.servers().some((id) => !before.includes(id)));
    await bench.fill(BROKEN);
    await until('an underline', () => bench.squiggles());
    await until('failed', async () => /dp-lsp: failed 1/.test(await bench.status()));
    sure(bench.servers().every((id) => !before.includes(id)), 'the old server lives');
  },
  'settings take effect': async (bench) => {
    await bench.change({ ...settings, 'dpLsp.inlayHints.sensitivity': false, 'dpLsp.codeLens': false });
    await until('no hint', async () => !/2 in x/.test(await bench.text()));
    await until('no lens', async () => (await bench.lenses()).length === 0);
    await bench.change({ ...settings, 'dpLsp.severity': { DP301: 'warning' } });
    await until('a lens', async () => (await bench.lenses()).some((lens) => /DP301 is accepted/.test(lens)));
    await until('a warning', async () => (await bench.squiggles('warning')) > 0 && (await bench.squiggles()) === 0);
    await until('unknown', async () => /dp-lsp: unknown 1/.test(await bench.status()));
    await bench.change(settings);
    await until('an error', () => bench.squiggles());
    await until('a hint', async () => /2 in x/.test(await bench.text()));
  },
  'what is said is traced by the setting alone': async (bench) => {
    sure(!/Sending/.test(bench.output('dp-lsp trace')), 'it is traced before');
    await bench.change({ ...settings, 'dpLsp.trace.server': 'messages' });
    await bench.go(1, 1);
    await until('a trace', () => /Sending request 'textDocument/.test(bench.output('dp-lsp trace')));
    await bench.change(settings);
  },
  'the server is restarted by the command, and is found without a search': async (bench) => {
    const started = () => bench.output().match(/running; the search took \d+ ms, the server \d+ ms/g) ?? [];
    const before = started().length;
    await bench.run('dp-lsp: Restart the Server');
    await until('another start', () => started().length > before);
    await bench.open('broken.jl');
    await until('the state', async () => /dp-lsp: failed 1/.test(await bench.status()));
    const [activated] = /activated in \d+ ms/.exec(bench.output());
    return `${activated}; at first ${started()[0]}; then ${started().at(-1)}`;
  },
  'no error is in the log of the extension host': async (bench) => {
    const wrong = bench.errors();
    sure(wrong.length === 0, wrong.join('\n'));
  },
});
