// Somebody who has VS Code, Python and this extension, and nothing else.
import path from 'node:path';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { EXTENSION, HOME, folder, part, sure } from './checks.mjs';
import { PATIENT, until } from './workbench.mjs';

const LONG = 6 * 60_000;
const place = folder('newcomer', { 'first.jl': 'twice(x::Real) = x + x\n' });
const pip = path.join(HOME, 'newcomer', 'pip.conf');
writeFileSync(pip, '[global]\nno-index = true\n'); // as if the package index did not know the package
const environment = {
  PIP_CONFIG_FILE: pip,
  PATH: (process.env.PATH ?? '').split(path.delimiter).filter((each) => !/venv/.test(each)).join(path.delimiter),
};
delete process.env.PIP_FIND_LINKS; // a folder of wheels may hold it
const settings = { 'dpLsp.server.package': process.env.DP_LSP_WHEEL };

const said = (bench, pattern) =>
  until(`a message like ${pattern}`, async () => (await bench.notifications()).some((text) => pattern.test(text)), LONG);

await part('newcomer', { extensions: [EXTENSION], environment }, {
  'without a server there is a message with a button': async (bench) => {
    await bench.visit(place);
    await bench.open('first.jl');
    await said(bench, /dp-lsp, the program that checks the code, was not found/);
    await until('no server in the status bar', async () => /no server/.test(await bench.status()));
    await bench.picture('1 not found');
  },
  'it asks before it installs': async (bench) => {
    await bench.press('Set Up…');
    const dialog = bench.page.locator('.monaco-dialog-box');
    await dialog.waitFor({ timeout: PATIENT });
    const text = await dialog.innerText();
    sure(/Python environment/.test(text) && /pip/.test(text), text);
    await bench.picture('2 asked');
  },
  'a package that pip cannot find is told': async (bench) => {
    await bench.press('Set Up');
    await said(bench, /pip finds no package “dp-lsp”.*dpLsp\.server\.package/s);
    await bench.picture('3 no package');
  },
  'with a wheel the server is set up and runs': async (bench) => {
    const wheels = path.dirname(process.env.DP_LSP_WHEEL); // the vocabulary that it requires is there, too
    writeFileSync(pip, `[global]\nfind-links = ${wheels}\n`);
    await bench.run('Notifications: Clear All Notifications');
    await bench.change(settings, 'Workspace');
    await bench.run('dp-lsp: Set Up the Server…');
    await bench.page.locator('.monaco-dialog-box').waitFor({ timeout: PATIENT });
    await bench.press('Set Up');
    await said(bench, /dp-lsp is set up and running/);
    await bench.picture('4 set up');
  },
  'the example is opened and proved': async (bench) => {
    await bench.run('Notifications: Clear All Notifications');
    await bench.run('dp-lsp: Open the DP-SGD Example');
    await until('proved 1, assumed 3', async () => /dp-lsp: proved 1, assumed 3/.test(await bench.status()));
    await until('lenses', async () => (await bench.lenses()).length >= 2);
    await bench.picture('5 example');
  },
  'the walkthrough shows the way': async (bench) => {
    await bench.run('Welcome: Open Walkthrough...');
    await bench.pick('Differential privacy with dp-lsp');
    const page = bench.page.locator('.gettingStartedContainer');
    await until('its steps', async () => /Open the example/.test(await page.innerText()));
    await bench.picture('6 walkthrough');
  },
  'a server that is too old is told': async (bench) => {
    const old = path.join(HOME, 'newcomer', 'old');
    writeFileSync(old, '#!/bin/sh\necho dp-lsp 0.0.1\n', { mode: 0o755 });
    await bench.change({ ...settings, 'dpLsp.server.path': old }, 'Workspace');
    await said(bench, /is version 0\.0\.1; 0\.1\.0 or newer is needed/);
    await bench.picture('7 too old');
  },
  'an environment that is broken is told, and the next one is used': async (bench) => {
    const broken = path.join(place, '.venv');
    const packages = path.join(broken, 'lib', 'python3.11', 'site-packages', 'dp_lsp-0.1.0.dist-info');
    [packages, path.join(broken, 'bin')].forEach((folder) => mkdirSync(folder, { recursive: true }));
    writeFileSync(path.join(broken, 'bin', 'dp-lsp'), '#!/bin/sh\necho it is broken >&2\nexit 1\n', { mode: 0o755 });
    const before = bench.output().length;
    await bench.change(settings, 'Workspace');
    const told = () => bench.output().slice(before);
    await until('a complaint', () => /the Python environment of folder\) does not start: it is broken/.test(told()));
    await until('another server', () => /the environment of this extension\)[^]*running;/.test(told()));
    rmSync(broken, { recursive: true });
  },
  'no error is in the log of the extension host': async (bench) => {
    const wrong = bench.errors();
    sure(wrong.length === 0, wrong.join('\n'));
  },
});
