/** The messages of LSP that a program sends and receives during a conversation. */

import type {
	DidChangeConfigurationParams,
	DidChangeWatchedFilesParams,
	DidChangeWorkspaceFoldersParams,
	ExecuteCommandParams,
	LogMessageParams,
	ProgressToken,
	WorkDoneProgressBegin,
	WorkDoneProgressEnd,
	WorkDoneProgressReport,
} from 'vscode-languageserver-protocol';
import type { NotificationSignature, RequestSignature } from './declaration.ts';

/**
 * Value of `$/progress`: `begin` once, any number of `report`, then `end`.
 * @internal as it is described by LSP
 */
export type WorkDoneProgressValue = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/** Runs any request under `context/` and `session/` as the command `contextd.<method with dots>`; its params are the first argument. */
export const executeCommand: RequestSignature<ExecuteCommandParams, unknown, 'workspace/executeCommand'> = {
	kind: 'request',
	method: 'workspace/executeCommand',
	direction: 'to the daemon',
};

/** Replaces the settings of an earlier `didChangeConfiguration`. */
export const didChangeConfiguration: NotificationSignature<
	DidChangeConfigurationParams,
	'workspace/didChangeConfiguration'
> = {
	kind: 'notification',
	method: 'workspace/didChangeConfiguration',
	direction: 'to the daemon',
};

/** Adds and removes folders; the daemon reads files only in the client's folders. */
export const didChangeWorkspaceFolders: NotificationSignature<
	DidChangeWorkspaceFoldersParams,
	'workspace/didChangeWorkspaceFolders'
> = {
	kind: 'notification',
	method: 'workspace/didChangeWorkspaceFolders',
	direction: 'to the daemon',
};

/** A hint to look at these files again, if sessions have read them. Never needed: the daemon watches those files itself. */
export const didChangeWatchedFiles: NotificationSignature<
	DidChangeWatchedFilesParams,
	'workspace/didChangeWatchedFiles'
> = {
	kind: 'notification',
	method: 'workspace/didChangeWatchedFiles',
	direction: 'to the daemon',
};

/** Reports the progress of the request that carries this `workDoneToken`. */
export const progress: NotificationSignature<
	{ token: ProgressToken; value: WorkDoneProgressValue },
	'$/progress'
> = {
	kind: 'notification',
	method: '$/progress',
	direction: 'to the client',
};

/** A line of the daemon's log, at the level of the setting `logLevel` or above. */
export const logMessage: NotificationSignature<LogMessageParams, 'window/logMessage'> = {
	kind: 'notification',
	method: 'window/logMessage',
	direction: 'to the client',
};
