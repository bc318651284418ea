// What the parts share: checks that are counted, timed and written down, and where things are.
import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Workbench } from './workbench.mjs';

export const HOME = process.env.DP_LSP_EDITORS_HOME;
export const ROOT = path.resolve(import.meta.dirname, '..', '..');
export const EXTENSION = path.join(HOME, 'dp-lsp.vsix');
export const SERVER = process.env.DP_LSP_SERVER;

/** Two uses of `x` against noise for one: the problem and its fix are the same in all editors. */
export const BROKEN = `function noisy(x::Real) :: Priv()
    y = x + x
    laplacian_mechanism(1, 0.5, y)
end
`;

/** A folder of a part's own, empty, with files in it. */
export function folder(part, files) {
  const place = path.join(HOME, part, 'folder');
  rmSync(path.join(HOME, part), { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (text.startsWith(ROOT)) {
      cpSync(text, file);
    } else {
      writeFileSync(file, text);
    }
  }
  return place;
}

/** Run the checks of a part one after the other in one workbench. */
export function part(name, options, checks) {
  return checked(name, () => Workbench.start(path.join(HOME, name), options), checks);
}

/** Run checks one after the other on what `start` made; a failed one does not keep the next from running. What a check
 * returns is a note on it. */
export async function checked(name, start, checks) {
  const results = path.join(HOME, `${name}.jsonl`);
  writeFileSync(results, '');
  const report = (check, begun, error, note) => {
    const seconds = Math.round((Date.now() - begun) / 100) / 10;
    const reason = error && String(error.message ?? error);
    appendFileSync(results, `${JSON.stringify({ part: name, check, seconds, error: reason, note })}\n`);
    const more = error ? `: ${reason}` : note ? ` (${note})` : '';
    console.log(`  ${error ? 'FAILED' : 'ok    '} ${seconds.toFixed(1).padStart(5)} s  ${check}${more}`);
  };
  let bench;
  let begun = Date.now();
  try {
    bench = await start();
    for (const [check, run] of Object.entries(checks)) {
      begun = Date.now();
      try {
        report(check, begun, undefined, await run(bench));
      } catch (error) {
        report(check, begun, error);
        await bench.picture(`failed ${check}`).catch(() => undefined);
        await bench.page.keyboard.press('Escape');
      }
    }
  } catch (error) {
    report('the workbench starts', begun, error);
  } finally {
    await bench?.end();
  }
}

/** An error unless something holds. */
export function sure(holds, sentence) {
  if (!holds) {
    throw new Error(sentence);
  }
}
