/** The messages of LSP that a program sends and receives during a conversation. */

import type {
	DidChangeConfigurationParams,
	DidChangeWatchedFilesParams,
	DidChangeWorkspaceFoldersParams,
	ExecuteCommandParams,
	LogMessageParams,
	LogTraceParams,
	ProgressToken,
	SetTraceParams,
	ShowDocumentParams,
	ShowDocumentResult,
	ShowMessageParams,
	WorkDoneProgressBegin,
	WorkDoneProgressCancelParams,
	WorkDoneProgressEnd,
	WorkDoneProgressReport,
} from 'vscode-languageserver-protocol';
import type { NotificationSignature, RequestSignature } from './declaration.ts';
import { declareLspNotification, declareLspRequest } from './declare.ts';

/**
 * Value of `$/progress`: `begin` once, any number of `report`, then `end`.
 * @internal because LSP describes it
 */
export type WorkDoneProgressValue = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/**
 * Runs a request under `context/`, `session/` or `recorder/` as the command `contextd.<method with dots>`; the first
 * argument contains its params. `contextd.showUsage`, `contextd.compactNewest` and `contextd.undoNewest` need no argument: they
 * act on the newest session of the client's folders, and show their result by `window/showMessage`.
 */
export const executeCommand: RequestSignature<ExecuteCommandParams, unknown, 'workspace/executeCommand'> =
	declareLspRequest('workspace/executeCommand', 'to the daemon');

/**
 * Replaces the settings of an earlier `didChangeConfiguration`. If the notification has no settings for contextd, the daemon
 * requests them, provided that the client announced `workspace.configuration`.
 */
export const didChangeConfiguration: NotificationSignature<
	DidChangeConfigurationParams,
	'workspace/didChangeConfiguration'
> = declareLspNotification('workspace/didChangeConfiguration', 'to the daemon');

/** Adds and removes folders; the daemon reads files only in the client's folders. */
export const didChangeWorkspaceFolders: NotificationSignature<
	DidChangeWorkspaceFoldersParams,
	'workspace/didChangeWorkspaceFolders'
> = declareLspNotification('workspace/didChangeWorkspaceFolders', 'to the daemon');

/**
 * Tells the daemon to check these files again, if sessions have read them. Optional, because the daemon watches the
 * files itself.
 */
export const didChangeWatchedFiles: NotificationSignature<
	DidChangeWatchedFilesParams,
	'workspace/didChangeWatchedFiles'
> = declareLspNotification('workspace/didChangeWatchedFiles', 'to the daemon');

/** Cancels the requests with this `workDoneToken`, as `$/cancelRequest` does. */
export const workDoneProgressCancel: NotificationSignature<
	WorkDoneProgressCancelParams,
	'window/workDoneProgress/cancel'
> = declareLspNotification('window/workDoneProgress/cancel', 'to the daemon');

/** Turns `$/logTrace` on or off, as `trace` in `initialize` does. */
export const setTrace: NotificationSignature<SetTraceParams, '$/setTrace'> = declareLspNotification(
	'$/setTrace',
	'to the daemon',
);

/** Reports each handled message, its duration and its outcome; with `verbose`, its params in short. */
export const logTrace: NotificationSignature<LogTraceParams, '$/logTrace'> = declareLspNotification(
	'$/logTrace',
	'to the client',
);

/** Reports the progress of the request with this `workDoneToken`. */
export const progress: NotificationSignature<
	{ token: ProgressToken; value: WorkDoneProgressValue },
	'$/progress'
> = declareLspNotification('$/progress', 'to the client');

/** Sends a line of the daemon's log, at the level of the setting `logLevel` or above. */
export const logMessage: NotificationSignature<LogMessageParams, 'window/logMessage'> =
	declareLspNotification('window/logMessage', 'to the client');

/** Shows the answer of a command that acts on the newest session. */
export const showMessage: NotificationSignature<ShowMessageParams, 'window/showMessage'> =
	declareLspNotification('window/showMessage', 'to the client');

/** Shows the whole usage after `contextd.showUsage`, if the client announces `window.showDocument`. */
export const showDocument: RequestSignature<ShowDocumentParams, ShowDocumentResult, 'window/showDocument'> =
	declareLspRequest('window/showDocument', 'to the client');
