/** Wires one client: what it is known by, and the methods that work for it. */

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

/** What all clients share. */
export interface SharedParts {
	stateFolder: string;
	platform: NodeJS.Platform;
	startThread?: StartThread;
	store: SessionStore;
	followings: Followings;
	/** Those that are notified of what happens to sessions and files. */
	pushes: Set<Push>;
	/** Created at first use. */
	tracker(): FileTracker;
}

/** A client to be served. */
export interface ServedClient {
	settings(): Settings;
	workspace(): readonly WorkspaceFolder[];
	client(): ClientConnection;
	/** What the client announced in `initialize`. */
	offers(): ClientCapabilities;
	log: Logger;
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	/** The folder that the client's relative paths are taken from. */
	cwd: string;
	/** Asks a model of a provider, under the client's keys; absent: none is asked. */
	askProvider?: AskModel;
}

/** A connected client: its methods, and what the conversation reports to it. */
export interface Connection {
	requests: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** The client has opened or closed folders. */
	foldersChanged(): void;
	/** The client is gone: ends what was done for it alone. */
	close(): Promise<void>;
}

const askNobody: AskModel = () =>
	Promise.reject(new CallFailure('no provider can be asked here', { retryable: false }));

/** Folders of a client, as paths. */
function pathsOf(folders: readonly WorkspaceFolder[]): string[] {
	return folders.flatMap(({ uri }) => pathOfUri(uri) ?? []);
}

/** The folders that a session's files may lie in for a client; without folders of its own, those of the session. */
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
				: (served.askProvider ?? askNobody)(link, question, signal),
		offersModel: () => offers().summarize === true,
		folders: () => pathsOf(served.workspace()),
		log,
	};
}

/** Connects a client to what all clients share. */
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
			// Nobody may be asked under the client's keys any more.
			for (const session of store.open()) cancelPrefetch(session, client);
			await followings.leave(client);
		},
	};
}
