// The extension's own Python environment: made, after asking, where no other server is.
import { rm } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { expanded, run, scripts } from './finding';

const WINDOWS = process.platform === 'win32';
const NEWEST = 14;
const OLDEST = 11; // of Python 3
const LONG = 15 * 60_000; // milliseconds that pip may take

/** Something that keeps the environment from being made, in a sentence for the user. */
class Trouble extends Error {}

/** Ask, then make the environment with pip. True if there is a server in it afterwards. */
export async function setUp(own: string, log: vscode.LogOutputChannel): Promise<boolean> {
  const what = wanted();
  const agreed = await vscode.window.showInformationMessage(
    'Set up dp-lsp?',
    {
      modal: true,
      detail:
        `This makes a Python environment in ${own} and installs “${what}” there with pip, ` +
        'from the package index that pip is configured for. It needs Python 3.11 or newer and about 150 MB. ' +
        'Nothing else on this machine is changed.',
    },
    'Set Up',
  );
  if (agreed !== 'Set Up') {
    return false;
  }
  try {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: 'dp-lsp', cancellable: true },
      async (progress, token) => {
        const stop = new AbortController();
        token.onCancellationRequested(() => stop.abort());
        progress.report({ message: 'looking for Python…' });
        const python = await newest(stop.signal);
        progress.report({ message: 'making an environment…' });
        await made(python, own, stop.signal, log);
        progress.report({ message: `installing ${what}…` });
        await installed(own, what, stop.signal, log);
      },
    );
    return true;
  } catch (error) {
    await rm(own, { recursive: true, force: true }); // half an environment is worse than none
    log.error(String(error));
    if (error instanceof Trouble) {
      void told(error.message, log);
    } else {
      throw error;
    }
    return false;
  }
}

async function told(message: string, log: vscode.LogOutputChannel): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(message, 'Show Output', 'Open Settings');
  if (chosen === 'Show Output') {
    log.show();
  } else if (chosen) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'dpLsp.server');
  }
}

/** What pip is to install, a path if it is one. */
function wanted(): string {
  const set = vscode.workspace.getConfiguration('dpLsp').get<string>('server.package', '').trim() || 'dp-lsp';
  return /[\\/]/.test(set) ? expanded(set) : set;
}

/** The Python of the setting, else the newest on the path that is new enough. */
async function newest(signal: AbortSignal): Promise<string[]> {
  const set = vscode.workspace.getConfiguration('dpLsp').get<string>('server.python', '').trim();
  const names = Array.from({ length: NEWEST - OLDEST + 1 }, (_, index) => `3.${NEWEST - index}`);
  const candidates = set
    ? [[expanded(set)]]
    : WINDOWS
      ? [...names.map((name) => ['py', `-${name}`]), ['py', '-3'], ['python']]
      : [...names.map((name) => [`python${name}`]), ['python3'], ['python']];
  const test = `import sys, venv, ensurepip; print('fits' if sys.version_info >= (3, ${OLDEST}) else sys.version)`;
  let lacking = '';
  for (const [command, ...first] of candidates) {
    const { output, failure } = await run(command!, [...first, '-I', '-c', test], { signal });
    if (failure === undefined && output.startsWith('fits')) {
      return [command!, ...first];
    }
    if (/No module named '?(venv|ensurepip)/.test(failure ?? '')) {
      lacking = command!;
    }
  }
  if (lacking) {
    throw new Trouble(`${lacking} cannot make environments. On Debian and Ubuntu: sudo apt install python3-venv`);
  }
  throw new Trouble(
    set
      ? `The setting dpLsp.server.python names ${set}, which is no Python of version 3.${OLDEST} or newer.`
      : `No Python 3.${OLDEST} or newer was found. Install one from python.org, ` +
        'or name yours in the setting dpLsp.server.python, and try again.',
  );
}

async function made(python: string[], own: string, signal: AbortSignal, log: vscode.LogOutputChannel): Promise<void> {
  const [command, ...first] = python;
  const parameters = [...first, '-I', '-m', 'venv', '--clear', own];
  const { failure } = await run(command!, parameters, { timeout: LONG, signal, log: (text) => log.info(text.trimEnd()) });
  if (failure !== undefined) {
    throw new Trouble(signal.aborted ? 'Setting up dp-lsp was cancelled.' : `No environment could be made: ${failure}.`);
  }
}

async function installed(own: string, what: string, signal: AbortSignal, log: vscode.LogOutputChannel): Promise<void> {
  const python = path.join(scripts(own), WINDOWS ? 'python.exe' : 'python');
  const parameters = ['-I', '-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', what];
  log.info(`${python} ${parameters.join(' ')}`);
  const { output, failure } = await run(python, parameters, {
    timeout: LONG,
    signal,
    log: (text) => log.info(text.trimEnd()),
  });
  if (failure === undefined) {
    return;
  }
  if (signal.aborted) {
    throw new Trouble('Setting up dp-lsp was cancelled.');
  }
  if (/No matching distribution|Could not find a version|is not a supported wheel|Expected package name|does not exist|Invalid requirement/i.test(output)) {
    throw new Trouble(
      `pip finds no package “${what}”. If you have dp-lsp as a wheel or a checkout, ` +
        'name its path in the setting dpLsp.server.package, and try again.',
    );
  }
  throw new Trouble(`pip could not install “${what}”: ${failure}.`);
}
