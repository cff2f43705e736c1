/** Beginning and end of a conversation with the daemon, and what it takes of LSP between them. */

import type { ClientCapabilities, DaemonCapabilities } from './capabilities.ts';
import type { NotificationDeclaration, RequestDeclaration, WorkDoneProgress } from './declaration.ts';

/** A folder that the client has open. */
export interface WorkspaceFolder {
	/** A `file:` URI. */
	uri: string;
	/** What people call it. */
	name?: string;
}

/** What the client says of itself, as far as the daemon cares; all else of LSP may be there too. */
export interface InitializeParams {
	/** The client's process: where it is gone, the daemon ends. */
	processId?: number;
	/** Who the client is; for the log. */
	clientInfo?: {
		/** What it is called. */
		name: string;
		/** Its own version. */
		version?: string;
	};
	/** The folder that is open, where `workspaceFolders` is absent. */
	rootUri?: string;
	/** The daemon reads files in these folders alone. */
	workspaceFolders?: WorkspaceFolder[];
	/** What the client can, as LSP has it; the daemon's own lies in `experimental.contextd`. */
	capabilities?: {
		/** Beyond LSP. */
		experimental?: {
			/** What the daemon wants to know. */
			contextd?: ClientCapabilities;
		};
	};
	/** Settings; see there. */
	initializationOptions?: unknown;
}

/** What the daemon says of itself. */
export interface InitializeResult {
	/** What the daemon can, as LSP has it; its own lies in `experimental.contextd`. */
	capabilities: {
		/** As LSP has it. */
		workspace: {
			/** It wants to hear of folders. */
			workspaceFolders: {
				/** As LSP has it. */
				supported: true;
				/** As LSP has it. */
				changeNotifications: true;
			};
		};
		/** As LSP has it. */
		executeCommandProvider: {
			/** Every method under `context/` and `session/` as a command: `contextd.context.stats`. */
			commands: string[];
		};
		/** Beyond LSP. */
		experimental: {
			/** What the daemon can beyond LSP. */
			contextd: DaemonCapabilities;
		};
	};
	/** Who the daemon is. */
	serverInfo: {
		/** Always this. */
		name: 'contextd';
		/** Of the program. */
		version: string;
	};
}

/** The first request, and only once; any other before it is refused with -32002. */
export const initialize: RequestDeclaration<InitializeParams, InitializeResult, 'initialize'> = {
	kind: 'request',
	method: 'initialize',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};

/** The client has taken the result of `initialize`. */
export const initialized: NotificationDeclaration<unknown, 'initialized'> = {
	kind: 'notification',
	method: 'initialized',
	direction: 'to the daemon',
	since: '0.1.0',
};

/** Flushes and closes every session; any request after it is refused with -32600. */
export const shutdown: RequestDeclaration<unknown, null, 'shutdown'> = {
	kind: 'request',
	method: 'shutdown',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};

/** Ends the daemon: with 0 after `shutdown`, else with 1. */
export const exit: NotificationDeclaration<unknown, 'exit'> = {
	kind: 'notification',
	method: 'exit',
	direction: 'to the daemon',
	since: '0.1.0',
};

export interface CancelParams {
	/** Of the request. */
	id: string | number;
}

/** Cancels a request: it is answered with -32800, and the session is as it was. */
export const cancelRequest: NotificationDeclaration<CancelParams, '$/cancelRequest'> = {
	kind: 'notification',
	method: '$/cancelRequest',
	direction: 'to the daemon',
	since: '0.1.0',
};

export interface ExecuteCommandParams {
	/** A method with dots, for example `contextd.context.stats`. */
	command: string;
	/** The params of the method are the first. */
	arguments?: unknown[];
	/** Stands in for a token in the params of the method. */
	workDoneToken?: string | number;
}

/** Any request under `context/` and `session/`, for editors that know no others than LSP's; its errors are theirs. */
export const executeCommand: RequestDeclaration<ExecuteCommandParams, unknown, 'workspace/executeCommand'> = {
	kind: 'request',
	method: 'workspace/executeCommand',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: [],
};

export interface DidChangeConfigurationParams {
	/** `settings.contextd` holds all that is set, and replaces what was said by this message before. */
	settings?: unknown;
}

/** The user changed settings. */
export const didChangeConfiguration: NotificationDeclaration<
	DidChangeConfigurationParams,
	'workspace/didChangeConfiguration'
> = {
	kind: 'notification',
	method: 'workspace/didChangeConfiguration',
	direction: 'to the daemon',
	since: '0.1.0',
};

export interface DidChangeWorkspaceFoldersParams {
	/** What changed. */
	event: {
		/** Folders that were opened. */
		added: WorkspaceFolder[];
		/** Folders that were closed. */
		removed: WorkspaceFolder[];
	};
}

/** The user opened or closed folders. */
export const didChangeWorkspaceFolders: NotificationDeclaration<
	DidChangeWorkspaceFoldersParams,
	'workspace/didChangeWorkspaceFolders'
> = {
	kind: 'notification',
	method: 'workspace/didChangeWorkspaceFolders',
	direction: 'to the daemon',
	since: '0.1.0',
};

/** A file to look at again. */
export interface ChangedFile {
	/** A `file:` URI or a path. */
	uri: string;
}

export interface DidChangeWatchedFilesParams {
	/** Files to look at again. */
	changes: ChangedFile[];
}

/** Something happened to files, as the client sees it: the daemon looks at those that it watches. */
export const didChangeWatchedFiles: NotificationDeclaration<
	DidChangeWatchedFilesParams,
	'workspace/didChangeWatchedFiles'
> = {
	kind: 'notification',
	method: 'workspace/didChangeWatchedFiles',
	direction: 'to the daemon',
	since: '0.1.0',
};

export interface ProgressParams {
	/** The `workDoneToken` of the request. */
	token: string | number;
	/** How far it is. */
	value: WorkDoneProgress;
}

/** How far the work on a request is. */
export const progress: NotificationDeclaration<ProgressParams, '$/progress'> = {
	kind: 'notification',
	method: '$/progress',
	direction: 'to the client',
	since: '0.1.0',
};

export interface LogMessageParams {
	/** 1: error, 2: warning, 3: information, 4: detail. */
	type: 1 | 2 | 3 | 4;
	/** In words. */
	message: string;
}

/** A line of the daemon's log, of the level that is set or graver. */
export const logMessage: NotificationDeclaration<LogMessageParams, 'window/logMessage'> = {
	kind: 'notification',
	method: 'window/logMessage',
	direction: 'to the client',
	since: '0.1.0',
};
