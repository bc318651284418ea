// The server's life: found, started, restarted, ended; one thing after the other.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
import type { CloseHandlerResult, LanguageClientOptions } from 'vscode-languageclient/node';
import { setUp } from './environment';
import { find, type Search } from './finding';
import type { Counterexample, FileStatus } from './protocol';
import type { Status } from './status';
import { traceChannel } from './trace';

/** The documents that are checked. Languages belong to VS Code and their extensions: none is added here. Of a Python
 * file that does not name `dp_types` the server says nothing, and of others only what no other server does. */
export const SELECTOR = [
  { scheme: 'file', language: 'julia' },
  { scheme: 'untitled', language: 'julia' },
  { scheme: 'file', pattern: '**/*.jl' },
  { scheme: 'file', language: 'python' },
  { scheme: 'vscode-notebook-cell', language: 'python' },
];
const PAGES = 'dp-lsp';
const RESTARTS = 4; // of a server that ends by itself, within
const RECENT = 180_000; // milliseconds
const COUNTEREXAMPLE = 'dp-lsp.showCounterexample';
const LINKED = ['dp-lsp.showDerivation', 'dp-lsp.showReport', COUNTEREXAMPLE];

/** Finds, starts and ends the server, and passes on what it says of files. */
export class Session implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('dp-lsp', { log: true });
  private readonly told = new vscode.EventEmitter<FileStatus>();
  /** Fires with whatever the server says of a file. */
  readonly onStatus = this.told.event;
  private readonly shown = new vscode.EventEmitter<Counterexample>();
  /** Fires with the inputs that somebody asked for, which show that a number is too small. */
  readonly onCounterexample = this.shown.event;
  private readonly own: string;
  private readonly trace: vscode.LogOutputChannel;
  private client: LanguageClient | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private asked = false;
  private ended: number[] = [];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly status: Status,
  ) {
    this.own = path.join(context.globalStorageUri.fsPath, 'environment');
    this.trace = traceChannel(context.subscriptions);
    context.subscriptions.push(this.log, this.told, this.shown);
  }

  /** The client, if the server runs. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** End the server if there is one, look for one again and start it. */
  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      await this.start();
    });
  }

  /** Make the extension's own environment, and start the server in it. */
  async setUp(): Promise<void> {
    const made = await this.inTurn(async () => {
      if (this.client && (await this.search()).server?.command.startsWith(this.own)) {
        await this.end(); // Windows does not replace what runs
      }
      return setUp(this.own, this.log);
    });
    if (made) {
      this.asked = false;
      await this.restart();
      if (this.running) {
        void vscode.window.showInformationMessage('dp-lsp is set up and running.');
      }
    } else if (!this.running) {
      await this.restart();
    }
  }

  private search(certain = false): Promise<Search> {
    return find(this.own, this.context.globalState, certain);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** Find a server and start it. What does not start is looked at more closely, and what comes after it is tried. */
  private async start(certain = false): Promise<void> {
    this.status.server('starting');
    const begun = Date.now();
    const search = await this.search(certain);
    search.complaints.forEach((complaint) => this.log.warn(complaint));
    if (!search.server) {
      this.lacking(search);
      return;
    }
    const { command, origin, version } = search.server;
    this.log.info(`starting dp-lsp ${version}: ${command} (${origin})`);
    const found = Date.now();
    const client = new LanguageClient('dpLsp', 'dp-lsp', { command, args: ['server'] }, this.options());
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        const ours = { dpFileStatus: true, dpCommandLinks: true, dpCounterexamples: true };
        capabilities.experimental = { ...capabilities.experimental, ...ours };
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
    client.onNotification('dp/fileStatus', (status: FileStatus) => {
      const uri = client.protocol2CodeConverter.asUri(status.uri).toString();
      this.status.tell(uri, status);
      this.told.fire({ ...status, uri });
    });
    client.onDidChangeState(({ newState }) => {
      if (client === this.client) {
        this.changed(newState);
      }
    });
    this.client = client;
    try {
      await client.start();
      this.log.info(`running; the search took ${found - begun} ms, the server ${Date.now() - found} ms`);
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      if (!certain) {
        await this.end();
        return this.start(true);
      }
      this.changed(State.StartFailed);
      void this.offer(`dp-lsp did not start: ${String(error)}`, ['Show Output', 'Set Up…']);
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false, // we say it ourselves
      // What is written to a server that has just ended fails, message by message. The client would take that for a
      // reason to stop for good, if it hears of it before it hears that the server has ended.
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
      markdown: { isTrusted: { enabledCommands: LINKED } },
      middleware: {
        executeCommand: async (command, parameters, next) => {
          const answer: unknown = await next(command, parameters);
          if (command === COUNTEREXAMPLE && typeof answer === 'string') {
            const [uri, place] = parameters as [string, { line: number; character: number }];
            this.shown.fire({ uri: vscode.Uri.parse(uri), place: new vscode.Position(place.line, place.character), text: answer });
          }
          return answer;
        },
        workspace: {
          // A setting that restarts the server changes while it ends: the next one asks for all of them.
          didChangeConfiguration: async (sections, next) => {
            if (this.client) {
              await next(sections);
            }
          },
        },
        window: {
          showDocument: async (parameters, token, next) => {
            const uri = vscode.Uri.parse(parameters.uri);
            if (uri.scheme !== PAGES) {
              return next(parameters, token);
            }
            try {
              await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
              return { success: true };
            } catch {
              return next(parameters, token); // the preview is an extension too, and may be switched off
            }
          },
        },
      },
    };
  }

  /** The server has ended by itself: it is started again, unless that happens over and over. */
  private closed(): CloseHandlerResult {
    const now = Date.now();
    this.ended = [...this.ended.filter((time) => now - time < RECENT), now];
    if (this.ended.length > RESTARTS) {
      return { action: CloseAction.DoNotRestart, message: `The server ended ${this.ended.length} times in 3 minutes.` };
    }
    return { action: CloseAction.Restart, message: 'The server ended, and is started again.', handled: true };
  }

  private changed(state: State): void {
    void vscode.commands.executeCommand('setContext', 'dpLsp.running', state === State.Running);
    if (state === State.Running) {
      this.status.server('running');
    } else if (state === State.Starting) {
      this.status.server('starting');
    } else {
      this.status.server({ trouble: 'The server does not run. Its output says more.' });
    }
  }

  /** Say, once a window, that there is no server, and what can be done. */
  private lacking(search: Search): void {
    const restricted = vscode.workspace.isTrusted
      ? ''
      : ' In restricted mode no Python environment of the folder is used.';
    const problem = search.complaints.length
      ? `No dp-lsp that can be used: ${search.complaints.join(' ')}${restricted}`
      : `dp-lsp, the program that checks the code, was not found.${restricted}`;
    this.log.warn(problem);
    this.status.server({ trouble: `${problem} Select to set it up.` });
    if (!this.asked) {
      this.asked = true;
      void this.offer(problem, search.misset ? ['Open Settings', 'Show Output'] : ['Set Up…', 'Open Settings']);
    }
  }

  private async offer(problem: string, choices: string[]): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(problem, ...choices);
    if (chosen === 'Set Up…') {
      await this.setUp();
    } else if (chosen === 'Show Output') {
      this.log.show();
    } else if (chosen) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'dpLsp.server');
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    void vscode.commands.executeCommand('setContext', 'dpLsp.running', false);
    if (client) {
      await client.dispose().catch((error: unknown) => this.log.warn(`ending the server: ${String(error)}`));
    }
  }

  /** End the server for good. */
  dispose(): Promise<void> {
    return this.inTurn(() => this.end());
  }
}
