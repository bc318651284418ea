// The report of a file, in a web view that follows the file.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { cell, number, whole } from './notebooks';
import type { Session } from './session';

const KIND = 'dpLsp.report';

/** The view, of which there is one at most. */
export class ReportView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private uri: vscode.Uri | undefined;
  private empty = true;
  private found: { cell: number | undefined; line: number; column: number; text: string }[] = [];
  private asking: vscode.CancellationTokenSource | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly session: Session,
  ) {
    this.listeners = [
      session.onStatus((status) => {
        if (status.uri === this.uri?.toString()) {
          this.found = []; // they are about the text as it was
          void (status.status === 'stale' ? this.post({ kind: 'stale' }) : this.refresh());
        }
      }),
      session.onCounterexample(({ uri, place, text }) => void this.counterexample(uri, place, text)),
      vscode.window.registerWebviewPanelSerializer(KIND, {
        deserializeWebviewPanel: async (panel, state: { uri?: string } | undefined) => {
          if (state?.uri) {
            this.adopt(panel, vscode.Uri.parse(state.uri));
          } else {
            panel.dispose();
          }
        },
      }),
    ];
  }

  /** Show the report of an open document. */
  show(uri: vscode.Uri): void {
    if (this.panel && this.uri?.toString() === uri.toString()) {
      this.panel.reveal();
      return;
    }
    this.panel?.dispose();
    const panel = vscode.window.createWebviewPanel(KIND, 'Report', vscode.ViewColumn.Beside, { enableFindWidget: true });
    this.adopt(panel, uri);
  }

  /** Show inputs beside the problem that they show, in the report of its file. */
  private async counterexample(uri: vscode.Uri, place: vscode.Position, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    this.show(whole(document));
    const column = [...document.lineAt(place.line).text.slice(0, place.character)].length + 1;
    this.found = [{ cell: number(document), line: place.line + 1, column, text }];
    await this.refresh();
  }

  private adopt(panel: vscode.WebviewPanel, uri: vscode.Uri): void {
    this.panel = panel;
    this.uri = uri;
    this.found = [];
    panel.title = `Report of ${uri.path.split('/').at(-1)}`;
    panel.iconPath = vscode.Uri.joinPath(this.context.extensionUri, 'media', 'icon.png');
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    panel.onDidDispose(() => {
      if (this.panel === panel) {
        this.panel = this.uri = undefined;
      }
    });
    panel.webview.onDidReceiveMessage((message: { kind: string; cell?: number; line?: number; column?: number }) => {
      if (message.kind === 'ready') {
        this.empty = true;
        void this.refresh();
      } else if (message.kind === 'go') {
        void this.go(uri, message.line ?? 1, message.column ?? 1, message.cell);
      } else if (message.kind === 'set') {
        void vscode.commands.executeCommand('dpLsp.setParameter', uri);
      }
    });
    void this.page().then((html) => (panel.webview.html = html));
  }

  /** The page loads nothing: its style and its one script stand in it, and no other runs. */
  private async page(): Promise<string> {
    const nonce = randomBytes(18).toString('base64url');
    const [script, style] = await Promise.all(
      [['out', 'report.js'], ['media', 'report.css']].map(async (names) => {
        const file = vscode.Uri.joinPath(this.context.extensionUri, ...names);
        return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      }),
    );
    const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
    return (
      `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">` +
      `<meta http-equiv="Content-Security-Policy" content="${policy}"><title>Report</title>` +
      `<style nonce="${nonce}">${style}</style></head><body><main id="report"></main>` +
      `<script nonce="${nonce}">${script!.replaceAll('</script', '<\\/script')}</script></body></html>`
    );
  }

  private async refresh(): Promise<void> {
    const [uri, client] = [this.uri, this.session.running];
    if (!uri || !client) {
      return this.post({ kind: 'nothing', why: 'The server does not run.' });
    }
    this.asking?.cancel(); // plots take their time, and these nobody wants any more
    const asked = (this.asking = new vscode.CancellationTokenSource());
    const of = client.code2ProtocolConverter.asUri(uri);
    try {
      // A page that is still empty need not wait for the plots; what stands on one does not flicker for them.
      for (const plots of this.empty ? [false, true] : [true]) {
        const report = await client.sendRequest('dp/report', { uri: of, plots }, asked.token);
        if (asked.token.isCancellationRequested) {
          return;
        }
        this.empty = false;
        await this.post({ kind: 'report', report, uri: uri.toString(), found: this.found });
      }
    } catch (error) {
      if (!asked.token.isCancellationRequested) {
        await this.post({ kind: 'nothing', why: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  private async post(message: unknown): Promise<void> {
    await this.panel?.webview.postMessage(message);
  }

  /** To a place in the file, or in a cell of it; lines and columns count from 1, and columns count code points. */
  private async go(uri: vscode.Uri, line: number, column: number, index: number | undefined): Promise<void> {
    const document = index === undefined ? await vscode.workspace.openTextDocument(uri) : await cell(uri, index);
    const text = document.lineAt(Math.min(line, document.lineCount) - 1).text;
    const place = new vscode.Position(line - 1, [...text].slice(0, column - 1).join('').length);
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
    await vscode.window.showTextDocument(document, {
      selection: new vscode.Range(place, place),
      viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One,
    });
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
    this.panel?.dispose();
  }
}
