// The page of the report by itself, with a report that has all that one may have, in every kind of theme.
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HOME, checked, sure } from './checks.mjs';
import { browser, pause } from './workbench.mjs';

const source = path.join(HOME, 'source', 'editors', 'vscode');
const read = (...names) => readFileSync(path.join(source, ...names), 'utf8');
const POLICY = /`(default-src 'none';[^`]*)`/.exec(read('src', 'report.ts'))[1].replaceAll('${nonce}', 'N');
const PAGE =
  `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style nonce="N">` +
  `${read('media', 'report.css')}</style></head><body><main id="report"></main>` +
  `<script nonce="N">${read('out', 'report.js').replaceAll('</script', '<\\/script')}</script></body></html>`;
const THEMES = {
  light: ['#ffffff', '#3b3b3b', '#0060c0'],
  dark: ['#1f1f1f', '#cccccc', '#4daafc'],
  contrast: ['#000000', '#ffffff', '#21a6ff'],
};

const range = { start: { line: 3, column: 1 }, end: { line: 9, column: 4 } };
const points = (scale) => Array.from({ length: 12 }, (_, index) => [10 ** (index - 12), scale * (14 - index)]);
const REPORT = {
  profile: 'sound',
  files: [
    {
      path: 'lab/<b>train.jl',
      status: 'failed',
      functions: [
        {
          name: 'train', signature: '(Matrix)', kind: 'privacy', status: 'proved', range, returns: 'Real', display: '',
          parameters: [
            { name: 'data', type: 'Matrix<n: L1>', static: false, sensitivity: null, epsilon: 'sqrt(k)*eps', delta: '1/1000',
              neighbours: 'one row replaced', public: ['rows(data)', 'cols(data)'] },
            { name: 'eps', type: 'Real', static: true, sensitivity: null, epsilon: '0', delta: '0' },
          ],
          bounds: [
            { parameters: ['data'], measure: 'approximate', rule: 'basic', epsilon: 'k*eps', delta: '0', free: [] },
            { parameters: ['labels'], measure: 'approximate', rule: 'basic', epsilon: 'k*eps', delta: '0', free: [] },
            { parameters: ['data'], measure: 'approximate', rule: 'advanced', delta: 's1', free: [],
              epsilon: 'Max(0, k)*log(1 + (exp(eps/b) - 1)*b/rows(data))*tanh(log(1 + (exp(eps/b) - 1)*b/rows(data))/2)' },
            { parameters: ['data'], measure: 'zcdp', rule: 'zcdp', epsilon: 'oo', delta: '0', rho: 'k*eps**2/2',
              free: [{ name: 's1', range: '0 < s1 < 1' }] },
          ],
          conditions: [{ text: '0 < eps', decided: false }, { text: '`f` is deterministic', decided: false }],
          numeric: [{ parameters: ['data'], epsilon: 0.56301, delta: 1e-5, rule: 'pld' }],
          spending: [
            { parameters: ['data'], range, name: 'gaussian_mechanism', epsilon: 'eps', delta: '0', share: 0.75 },
          ],
          plots: [
            { parameters: ['data'], against: 'delta', at: 1e-5,
              curves: [{ rule: 'pld', points: points(1) }, { rule: 'basic', points: points(2) }] },
            { parameters: ['labels'], missing: ['k', 'rows(data)'] },
          ],
          surprise: { from: 'a newer server' },
        },
      ],
      diagnostics: [
        { code: 'DP301', name: 'x', severity: 'error', message: 'the noise hides `1`', url: 'https://x.y', range, related: [] },
        { code: 'DP001', name: 'x', severity: 'error', message: 'odd', range: { start: { line: 99, column: 1 } }, related: [] },
      ],
    },
  ],
};

class View {
  static async start() {
    const self = new View();
    mkdirSync(path.join(HOME, 'view'), { recursive: true });
    self.browser = await browser();
    self.page = await self.browser.newPage({ viewport: { width: 700, height: 1500 } });
    self.wrong = [];
    self.asked = [];
    self.page.on('console', (message) => message.type() === 'error' && self.wrong.push(message.text()));
    self.page.on('pageerror', (error) => self.wrong.push(String(error)));
    self.page.on('request', (request) => self.asked.push(request.url()));
    await self.page.addInitScript(() => {
      window.sent = [];
      window.acquireVsCodeApi = () => ({ postMessage: (message) => window.sent.push(message), setState: () => undefined });
    });
    await self.page.route('http://view/', (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
    await self.page.goto('http://view/');
    return self;
  }

  post(message) {
    return this.page.evaluate((sent) => window.postMessage(sent, '*'), message).then(() => pause(100));
  }

  text(selector) {
    return this.page.locator(selector).allInnerTexts();
  }

  async picture(name) {
    await this.page.screenshot({ path: path.join(HOME, 'view', `${name}.png`) });
  }

  end() {
    return this.browser.close();
  }
}

await checked('view', View.start, {
  'it asks for a report, and shows all of it': async (view) => {
    sure((await view.page.evaluate(() => window.sent[0].kind)) === 'ready', 'it asked for nothing');
    await view.post({ kind: 'report', report: REPORT, uri: 'file:///a.jl' });
    const captions = await view.text('caption');
    const wanted = ['With your numbers', 'What is guaranteed of each argument', 'What each mechanism spends'];
    sure(wanted.every((caption) => captions.includes(caption)), captions.join());
    sure((await view.text('h3')).includes('All bounds that are proved'), 'not all bounds are shown');
    const text = (await view.text('main')).join();
    const words = ['<b>train.jl', '√(k)⋅eps', '0.564', '75 %', 'k⋅eps^2/2', '0 < s1 < 1', 'Rényi|privacy loss', 'line 99', '0 < eps', 'one row replaced', 'Public, too: rows(data), cols(data).'];
    const missing = words.filter((word) => !word.split('|').some((each) => text.includes(each)));
    sure(missing.length === 0, `it does not say ${missing.join(', ')}`);
    sure((await view.page.locator('b').count()) === 0, 'text was read as markup');
  },
  'a narrow page cuts nothing off': async (view) => {
    const wide = view.page.viewportSize();
    await view.page.setViewportSize({ width: 430, height: wide.height });
    const cut = await view.page.evaluate(() =>
      [...document.querySelectorAll('.scrolls, body')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText),
    );
    await view.picture('narrow');
    await view.page.setViewportSize(wide);
    sure(cut.length === 0, `this is wider than the page: ${cut.join()}`);
  },
  'a plot is drawn, and its numbers stand in a table': async (view) => {
    sure((await view.page.locator('figure svg[role=img] polyline').count()) === 2, 'there are not two lines');
    const named = await view.page.locator('figure svg[role=img]').getAttribute('aria-label');
    sure(/ε against δ, for data/.test(named), named);
    await view.page.locator('summary').click();
    sure((await view.page.locator('details tbody tr').count()) === 24, 'the numbers are not in the table');
    const place = (selector, name) => view.page.locator(`figure ${selector}`).getAttribute(name);
    const [left, right] = [await place('.here', 'x1'), (await place('polyline.line6', 'points')).split(' ')[7].split(',')[0]];
    sure(Math.abs(left - right) < 0.1, `the program stands at ${left}, not at ${right}`);
    sure((await view.text('.legend li')).join() === 'privacy loss distribution,basic composition', 'the legend');
  },
  'where a plot lacks numbers, it says which': async (view) => {
    const said = (await view.text('section p')).join('\n');
    sure(/A plot of ε for labels needs numbers for k, rows\(data\)\./.test(said), said);
    await view.page.getByRole('button', { name: 'Set a number…' }).click();
    sure((await view.page.evaluate(() => window.sent.at(-1).kind)) === 'set', 'the button does nothing');
  },
  'it is used by the keyboard alone': async (view) => {
    await view.page.evaluate(() => document.activeElement.blur());
    const reached = [];
    for (let index = 0; index < 14; index += 1) {
      await view.page.keyboard.press('Tab');
      reached.push(await view.page.evaluate(() => document.activeElement.tagName));
    }
    sure(['BUTTON', 'A', 'SUMMARY', 'DIV'].every((tag) => reached.includes(tag)), reached.join());
    await view.page.locator('h2 button').focus();
    await view.page.keyboard.press('Enter');
    const sent = await view.page.evaluate(() => window.sent.at(-1));
    sure(sent.kind === 'go' && sent.line === 3, JSON.stringify(sent));
    await view.post({ kind: 'report', report: REPORT, uri: 'file:///a.jl' });
    sure(await view.page.evaluate(() => document.activeElement.matches('h2 button')), 'a new report takes the focus away');
  },
  'what is said to a screen reader': async (view) => {
    const nameless = await view.page.evaluate(() =>
      [...document.querySelectorAll('section')].filter((each) => !document.getElementById(each.getAttribute('aria-labelledby'))).length,
    );
    sure(nameless === 0, 'a section has no name');
    sure((await view.page.locator('td, th').count()) && !(await view.page.locator('thead th:not([scope])').count()), 'heads');
    await view.post({ kind: 'stale' });
    sure(/being checked/.test((await view.text('[role=status]')).join()), 'it is not said that the file is checked');
    sure((await view.page.locator('main').getAttribute('aria-busy')) === 'true', 'it does not count as busy');
    await view.post({ kind: 'nothing', why: 'The server does not run.' });
    sure(/no report\. The server does not run/.test((await view.text('main')).join()), 'it is not said why there is nothing');
    await view.post({ kind: 'report', report: REPORT, uri: 'file:///a.jl' });
  },
  'every theme': async (view) => {
    for (const [name, [back, fore, link]] of Object.entries(THEMES)) {
      await view.page.evaluate(
        (colours) => {
          const names = ['--vscode-editor-background', '--vscode-editor-foreground', '--vscode-textLink-foreground'];
          names.forEach((each, index) => document.documentElement.style.setProperty(each, colours[index]));
          document.body.className = `vscode-${colours[3]}`;
        },
        [back, fore, link, name],
      );
      const faint = await view.page.evaluate(() => {
        const light = (colour) => {
          const [red, green, blue] = colour.match(/\d+/g).map((each) => {
            const part = Number(each) / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const back = light(getComputedStyle(document.body).backgroundColor);
        const found = [...document.querySelectorAll('main *')].filter((each) => each.childNodes.length && each.textContent.trim());
        return found
          .map((each) => [each.tagName, light(getComputedStyle(each).color)])
          .filter(([, text]) => (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05) < 4.5)
          .map(([tag]) => tag);
      });
      sure(faint.length === 0, `${name}: ${faint.join()} can hardly be read`);
      await view.picture(name);
    }
  },
  'nothing is loaded, and nothing goes wrong': async (view) => {
    sure(view.asked.filter((url) => url !== 'http://view/' && !url.endsWith('favicon.ico')).length === 0, view.asked.join());
    const blocked = await view.page.evaluate(() => fetch('http://view/').then(() => false, () => true));
    sure(blocked, 'the policy lets it fetch');
    const wrong = view.wrong.filter((text) => !/favicon|Content Security Policy|Failed to fetch|connect/i.test(text));
    sure(wrong.length === 0, wrong.join('\n'));
  },
});
