// A language client for Julia as other extensions have one, with a server that answers something to everything.
const path = require('node:path');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const server = { command: process.execPath, args: [path.join(__dirname, 'server.js')] };
  client = new LanguageClient('julia', 'Julia', server, { documentSelector: [{ language: 'julia' }] });
  await client.start();
};

exports.deactivate = () => client?.stop();
