/** Activates the extension that is named first, with an editor that does nothing, and prints the milliseconds of processor time. */

const nodeModule = require('node:module');

class EventEmitter {
	listeners = [];
	event = (listener) => {
		this.listeners.push(listener);
		return new Disposable();
	};
	fire() {}
	dispose() {}
}

class Disposable {
	static from() {
		return new Disposable();
	}
	dispose() {}
}

/** Whatever is asked of it, called or set on it, gives the like again. */
function anything() {
	return new Proxy(class {}, {
		get: (target, name) => (name === 'prototype' ? target.prototype : anything()),
		set: () => true,
		apply: () => anything(),
		construct: () => anything(),
	});
}

const vscode = { EventEmitter, Disposable, ThemeColor: class {}, MarkdownString: class {} };
for (const name of ['window', 'workspace', 'commands', 'languages', 'lm', 'StatusBarAlignment', 'Uri'])
	vscode[name] = anything();
vscode.workspace = new Proxy(
	{},
	{ get: (_, name) => (name === 'getConfiguration' ? () => ({ get: (_key, value) => value }) : anything()) },
);
vscode.window = new Proxy(
	{},
	{
		get: (_, name) =>
			name.startsWith('create') ? () => new Proxy({}, { get: () => () => {}, set: () => true }) : anything(),
	},
);
vscode.l10n = { bundle: undefined };
vscode.commands = { registerCommand: () => new Disposable(), executeCommand: async () => {} };

const load = nodeModule._load;
nodeModule._load = function (request, ...rest) {
	return request === 'vscode' ? vscode : load.call(this, request, ...rest);
};

const context = { subscriptions: [], workspaceState: { get: (_key, value) => value }, extensionPath: '' };
const started = process.cpuUsage();
require(process.argv[2]).activate(context);
const { user, system } = process.cpuUsage(started);
process.stdout.write(String((user + system) / 1000));
process.exit(0);
