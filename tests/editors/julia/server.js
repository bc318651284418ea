// Stands in for a language server of Julia itself: diagnostics, hover, definition and rename of its own.
let waiting = Buffer.alloc(0);

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
}

const range = (line, start, end) => ({ start: { line, character: start }, end: { line, character: end } });
const answers = {
  initialize: () => ({
    capabilities: { textDocumentSync: 1, hoverProvider: true, definitionProvider: true, codeActionProvider: true },
  }),
  'textDocument/hover': () => ({ contents: 'Julia says: a name' }),
  'textDocument/definition': ({ textDocument }) => ({ uri: textDocument.uri, range: range(0, 0, 1) }),
  'textDocument/codeAction': () => [{ title: 'Julia: tidy up', kind: 'quickfix' }],
};

function handle({ id, method, params }) {
  if (id !== undefined && method) {
    send({ id, result: answers[method]?.(params) ?? null });
  } else if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') {
    const diagnostics = [{ range: range(0, 0, 8), severity: 2, source: 'julia', message: 'Julia minds this line' }];
    send({ method: 'textDocument/publishDiagnostics', params: { uri: params.textDocument.uri, diagnostics } });
  } else if (method === 'exit') {
    process.exit(0);
  }
}

process.stdin.on('data', (part) => {
  waiting = Buffer.concat([waiting, part]);
  for (;;) {
    const head = waiting.indexOf('\r\n\r\n');
    const length = Number(/Content-Length: (\d+)/i.exec(waiting.subarray(0, Math.max(head, 0)).toString())?.[1]);
    if (head < 0 || waiting.length < head + 4 + length) {
      return;
    }
    const body = waiting.subarray(head + 4, head + 4 + length).toString();
    waiting = waiting.subarray(head + 4 + length);
    handle(JSON.parse(body));
  }
});
process.stdin.on('end', () => process.exit(0));
