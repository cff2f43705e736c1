/** Wires one client: its context, and the methods that work for it. */

import { randomUUID } from 'node:crypto';
import type { WorkspaceFolder } from 'vscode-languageserver-protocol';
import { CallFailure } from './core/ask/callFailure.ts';
import { pathOfUri } from './core/files/folder.ts';
import { fileReader } from './node/files/fileReader.ts';
import { truncateToolOutput } from './node/files/truncateToolOutput.ts';
import type { StartThread } from './node/transcript/thread/openInThread.ts';
import { createTranscriptFiles } from './node/transcriptFiles.ts';
import type { ClientCapabilities } from './protocol/capabilities.ts';
import type { TruncateToolOutputParams, TruncateToolOutputResult } from './protocol/output.ts';
import type { Settings } from './protocol/settings.ts';
import type { ClientConnection } from './rpc/call/client.ts';
import type { NotificationMethod, RequestMethod } from './rpc/call/method.ts';
import { clientModel } from './rpc/clientModel.ts';
import { compactMethods } from './rpc/methods/compact.ts';
import { fileMethods, fileNotifications } from './rpc/methods/files.ts';
import { historyMethods } from './rpc/methods/history.ts';
import { measureMethods } from './rpc/methods/measure.ts';
import { sessionMethods } from './rpc/methods/session.ts';
import { exportMethods, transcriptMethods } from './rpc/methods/transcript.ts';
import { outputMethods, overflowMethods, validateMethods } from './rpc/methods/withoutSession.ts';
import { createPush, type Push } from './rpc/push.ts';
import type { ClientContext } from './session/clientContext.ts';
import { cancelPrefetch } from './session/compaction/prefetch.ts';
import type { FileTracker } from './session/files/tracker.ts';
import type { FileService } from './session/files/visibleRead.ts';
import type { AskModel, Logger, SessionView } from './session/ports.ts';
import type { SessionStore } from './session/store/store.ts';
import type { Followings } from './session/transcript/followings.ts';
import { createImporter } from './session/transcript/import.ts';

/** The services that all clients share. */
export interface SharedParts {
	stateFolder: string;
	platform: NodeJS.Platform;
	startThread?: StartThread;
	store: SessionStore;
	followings: Followings;
	/** Clients that are notified of events of sessions and files. */
	pushes: Set<Push>;
	/** Created at first use. */
	tracker(): FileTracker;
}

/** A client to serve. */
export interface ServedClient {
	settings(): Settings;
	workspace(): readonly WorkspaceFolder[];
	client(): ClientConnection;
	/** The capabilities that the client announced in `initialize`. */
	offers(): ClientCapabilities;
	log: Logger;
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	/** Base of the client's relative paths. */
	cwd: string;
	/** Asks a provider's model with the client's keys; absent if no provider can be asked. */
	askProvider?: AskModel;
}

/** A connected client: its methods, and the events that its conversation reports. */
export interface Connection {
	requests: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** Call when the client has opened or closed folders. */
	foldersChanged(): void;
	/** Call when the client has disconnected: ends what was done only for it. */
	close(): Promise<void>;
}

const refuseToAsk: AskModel = () =>
	Promise.reject(new CallFailure('no provider can be asked here', { retryable: false }));

/** Workspace folders of a client, as paths. */
function pathsOf(folders: readonly WorkspaceFolder[]): string[] {
	return folders.flatMap(({ uri }) => pathOfUri(uri) ?? []);
}

/** The folders that a session's files may be in: the client's, or the session's own if the client has none. */
export function foldersFor(
	{ folders }: Pick<ClientContext, 'folders'>,
	{ state }: SessionView,
): readonly string[] {
	const own = folders();
	return own.length > 0 ? own : [pathOfUri(state.info.workspace) ?? []].flat();
}

function contextOf(served: ServedClient): ClientContext {
	const { settings, offers, log } = served;
	return {
		id: randomUUID(),
		settings,
		askModel: (link, question, signal) =>
			link.provider === 'client'
				? clientModel(served.client())(link, question, signal)
				: (served.askProvider ?? refuseToAsk)(link, question, signal),
		offersModel: () => offers().summarize === true,
		folders: () => pathsOf(served.workspace()),
		log,
	};
}

/** Connects a client to the shared services. */
export function connectClient(shared: SharedParts, served: ServedClient): Connection {
	const { stateFolder, platform, store, followings, pushes, tracker } = shared;
	const client = contextOf(served);
	const push = createPush(store, client, served.client);
	if (served.offers().notifications) pushes.add(push);
	const files = createTranscriptFiles({ ...served, platform }, served.log, shared.startThread);
	const fileService: FileService = {
		reader: fileReader,
		get tracker() {
			return tracker();
		},
		folders: (session) => foldersFor(client, session),
	};
	const workspace = (): string | undefined => served.workspace()[0]?.uri;
	const shortenOutput = (request: TruncateToolOutputParams): Promise<TruncateToolOutputResult> => {
		const { maxToolOutputBytes, maxToolOutputLines } = served.settings().compaction;
		return truncateToolOutput(
			{ maxBytes: maxToolOutputBytes, maxLines: maxToolOutputLines, ...request },
			{ workspaceFolders: client.folders(), savedOutputs: { stateFolder } },
		);
	};
	return {
		requests: [
			...sessionMethods(store, client, { workspace, settingsOf: files.settingsOf }),
			...measureMethods(store, client),
			...compactMethods(store, client, () => served.offers().confirmCompaction === true),
			...historyMethods(store, client),
			...transcriptMethods(createImporter(store, followings, client, files), workspace),
			...exportMethods(store, client),
			...fileMethods(store, client, fileService),
			...overflowMethods(),
			...validateMethods(store, client),
			...outputMethods(shortenOutput),
		],
		notifications: fileNotifications(store, client, fileService),
		foldersChanged: () => store.world.files && tracker().foldersChanged(),
		async close() {
			pushes.delete(push);
			// The client's keys must not be used any more.
			for (const session of store.open()) cancelPrefetch(session, client);
			await followings.leave(client);
		},
	};
}
