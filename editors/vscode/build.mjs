// Bundles the extension and the script of its report view into out/, with the example, and takes the licence along.
import { copyFile } from 'node:fs/promises';
import { build } from 'esbuild';

const shared = { bundle: true, minify: true, outdir: 'out', logLevel: 'warning', legalComments: 'none' };
await build({
  ...shared,
  entryPoints: ['src/extension.ts'],
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
});
await build({ ...shared, entryPoints: ['view/report.ts'], platform: 'browser', target: 'es2022', format: 'iife' });
await copyFile('../../fixtures/programs/dp_sgd.jl', 'out/dp_sgd.jl');
await copyFile('../../LICENSE', 'LICENSE');
