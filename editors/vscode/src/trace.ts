// What client and server say to each other, written down where the setting says so.
import * as vscode from 'vscode';

const SETTING = 'dpLsp.trace.server';

/**
 * An output channel for the client's trace. The client writes one only at the level of detail that a user would have to
 * set by hand; here the setting alone decides.
 */
export function traceChannel(subscriptions: vscode.Disposable[]): vscode.LogOutputChannel {
  const channel = vscode.window.createOutputChannel('dp-lsp trace', { log: true });
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const level = () =>
    vscode.workspace.getConfiguration().get(SETTING, 'off') === 'off' ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
  subscriptions.push(
    channel,
    changed,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SETTING)) {
        changed.fire(level());
      }
    }),
  );
  return new Proxy(channel, {
    get(target, name) {
      if (name === 'logLevel') {
        return level();
      }
      if (name === 'onDidChangeLogLevel') {
        return changed.event;
      }
      const value: unknown = Reflect.get(target, name === 'trace' ? 'info' : name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
