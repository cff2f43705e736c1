/** The messages of LSP that begin and end a conversation. The package's client handles them by itself. */

import type {
	CancellationId,
	ConfigurationParams,
	InitializedParams,
	InitializeParams,
	InitializeResult,
	LSPAny,
	RegistrationParams,
} from 'vscode-languageserver-protocol';
import type { DaemonCapabilities } from './capabilities.ts';
import type { NotificationSignature, RequestSignature } from './declaration.ts';
import { declareLspNotification, declareLspRequest } from './declare.ts';

/** LSP's result of `initialize`, with the members that the daemon always sets. */
export interface DaemonInitializeResult extends InitializeResult {
	capabilities: InitializeResult['capabilities'] & { experimental: { contextd: DaemonCapabilities } };
	serverInfo: { name: 'contextd'; version: string };
}

/**
 * Begins the conversation: names the client's process, its folders, its capabilities and, in `initializationOptions`,
 * its settings. Any other request is refused with -32002 until then.
 */
export const initialize: RequestSignature<InitializeParams, DaemonInitializeResult, 'initialize'> =
	declareLspRequest('initialize', 'to the daemon');

/** Confirms the result of `initialize`. The daemon sends no request before this notification. */
export const initialized: NotificationSignature<InitializedParams, 'initialized'> = declareLspNotification(
	'initialized',
	'to the daemon',
);

/**
 * Waits up to 3 seconds for running requests, cancels those that still run and logs their ids and methods, then flushes
 * and closes every session. Later requests are refused with -32600.
 */
export const shutdown: RequestSignature<undefined, null, 'shutdown'> = declareLspRequest(
	'shutdown',
	'to the daemon',
);

/** Ends the daemon, with exit code 0 after `shutdown`, otherwise with 1. */
export const exit: NotificationSignature<undefined, 'exit'> = declareLspNotification('exit', 'to the daemon');

/** Cancels a request: it is answered with -32800, and the session stays unchanged. */
export const cancelRequest: NotificationSignature<{ id: CancellationId }, '$/cancelRequest'> =
	declareLspNotification('$/cancelRequest', 'to the daemon');

/** Asks for notifications of changed settings. Sent only to clients with dynamic registration. */
export const registerCapability: RequestSignature<RegistrationParams, null, 'client/registerCapability'> =
	declareLspRequest('client/registerCapability', 'to the client');

/** Reads the section `contextd` of the settings. Sent only to clients that announce `workspace.configuration`. */
export const configuration: RequestSignature<ConfigurationParams, LSPAny[], 'workspace/configuration'> =
	declareLspRequest('workspace/configuration', 'to the client');
