/** The messages of LSP that frame a conversation. The package's client sends and answers them by itself. */

import type {
	CancellationId,
	InitializedParams,
	InitializeParams,
	InitializeResult,
} from 'vscode-languageserver-protocol';
import type { DaemonCapabilities } from './capabilities.ts';
import type { NotificationSignature, RequestSignature } from './declaration.ts';

/** The result of `initialize`: LSP's, with the members that the daemon always sets. */
export interface DaemonInitializeResult extends InitializeResult {
	capabilities: InitializeResult['capabilities'] & { experimental: { contextd: DaemonCapabilities } };
	serverInfo: { name: 'contextd'; version: string };
}

/**
 * Begins the conversation: names the client's process, its folders, its capabilities and, in `initializationOptions`, its
 * settings. Any other request before it is refused with -32002.
 */
export const initialize: RequestSignature<InitializeParams, DaemonInitializeResult, 'initialize'> = {
	kind: 'request',
	method: 'initialize',
	direction: 'to the daemon',
};

/** Confirms the result of `initialize`. The daemon sends no request before it. */
export const initialized: NotificationSignature<InitializedParams, 'initialized'> = {
	kind: 'notification',
	method: 'initialized',
	direction: 'to the daemon',
};

/** Finishes or cancels what still runs, then flushes and closes every session. Later requests are refused with -32600. */
export const shutdown: RequestSignature<undefined, null, 'shutdown'> = {
	kind: 'request',
	method: 'shutdown',
	direction: 'to the daemon',
};

/** Ends the daemon, with exit code 0 after `shutdown`, otherwise with 1. */
export const exit: NotificationSignature<undefined, 'exit'> = {
	kind: 'notification',
	method: 'exit',
	direction: 'to the daemon',
};

/** Cancels a request: it is answered with -32800, and the session stays unchanged. */
export const cancelRequest: NotificationSignature<{ id: CancellationId }, '$/cancelRequest'> = {
	kind: 'notification',
	method: '$/cancelRequest',
	direction: 'to the daemon',
};
