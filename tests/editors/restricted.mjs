// A folder that is not trusted.
import path from 'node:path';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { BROKEN, EXTENSION, HOME, SERVER, folder, part, sure } from './checks.mjs';
import { until } from './workbench.mjs';

const settings = { 'dpLsp.server.path': SERVER };

// A folder that names a program of its own, and holds one where an environment would.
const restricted = folder('restricted', { 'broken.jl': BROKEN });
const trap = path.join(restricted, '.venv', 'bin', 'dp-lsp');
const mark = path.join(HOME, 'restricted', 'started');
mkdirSync(path.dirname(trap), { recursive: true });
mkdirSync(path.join(restricted, '.vscode'), { recursive: true });
writeFileSync(trap, `#!/bin/sh\ntouch ${mark}\necho dp-lsp 9.9.9\n`);
chmodSync(trap, 0o755);
writeFileSync(path.join(restricted, '.vscode', 'settings.json'), JSON.stringify({ 'dpLsp.server.path': trap }));
await part('restricted', { extensions: [EXTENSION], trusted: false }, {
  'an untrusted folder starts nothing that it holds': async (bench) => {
    await bench.visit(restricted);
    await bench.open('broken.jl');
    const text = () => bench.page.locator('.statusbar').innerText();
    sure(/Restricted Mode/.test(await text()), `the folder is trusted: ${await text()}`);
    await until('no server', async () => /no server/.test(await bench.status()));
    await until('the reason', async () => (await bench.notifications()).some((each) => /restricted mode/.test(each)));
    sure(!existsSync(mark), 'the program of the folder was started');
    await bench.picture('restricted');
  },
  'the server of the user is started there': async (bench) => {
    bench.settings(settings);
    await bench.visit(restricted);
    await bench.open('broken.jl');
    await until('failed', async () => /dp-lsp: failed 1/.test(await bench.status()));
    sure(!existsSync(mark), 'the program of the folder was started');
  },
});
