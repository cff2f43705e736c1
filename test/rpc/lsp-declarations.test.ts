import { expect, it } from 'vitest';
import * as lsp from 'vscode-languageserver-protocol';
import type { Direction } from '../../server/protocol/declaration.ts';
import * as lifecycle from '../../server/protocol/lifecycle.ts';
import * as messages from '../../server/protocol/lsp.ts';

/** Messages of LSP in the contract, and their declarations in LSP's own package. */
const pairs: [
	{ method: string; direction: Direction },
	{ messageDirection?: lsp.MessageDirection; type: { method: string } },
][] = [
	[lifecycle.initialize, lsp.InitializeRequest],
	[lifecycle.initialized, lsp.InitializedNotification],
	[lifecycle.shutdown, lsp.ShutdownRequest],
	[lifecycle.exit, lsp.ExitNotification],
	[lifecycle.registerCapability, lsp.RegistrationRequest],
	[lifecycle.configuration, lsp.ConfigurationRequest],
	[messages.executeCommand, lsp.ExecuteCommandRequest],
	[messages.didChangeConfiguration, lsp.DidChangeConfigurationNotification],
	[messages.didChangeWorkspaceFolders, lsp.DidChangeWorkspaceFoldersNotification],
	[messages.didChangeWatchedFiles, lsp.DidChangeWatchedFilesNotification],
	[messages.workDoneProgressCancel, lsp.WorkDoneProgressCancelNotification],
	[messages.logMessage, lsp.LogMessageNotification],
	[messages.setTrace, lsp.SetTraceNotification],
	[messages.logTrace, lsp.LogTraceNotification],
	[messages.showMessage, lsp.ShowMessageNotification],
	[messages.showDocument, lsp.ShowDocumentRequest],
];

/** Messages of the base protocol, which vscode-jsonrpc handles but does not declare publicly. */
const undeclared = ['$/cancelRequest', '$/progress'];

const directions = {
	[lsp.MessageDirection.clientToServer]: 'to the daemon',
	[lsp.MessageDirection.serverToClient]: 'to the client',
	[lsp.MessageDirection.both]: 'both',
};

it.each(pairs)('$method is named as in vscode-languageserver-protocol', ({ method, direction }, declared) => {
	expect(method).toBe(declared.type.method);
	// vscode-jsonrpc declares the tracing messages without a direction.
	if (declared.messageDirection) expect(direction).toBe(directions[declared.messageDirection]);
});

it('every message of LSP in the contract is compared with the package', () => {
	const named = [...Object.values(lifecycle), ...Object.values(messages)].map(({ method }) => method);
	expect(named.sort()).toEqual([...pairs.map(([{ method }]) => method), ...undeclared].sort());
});
