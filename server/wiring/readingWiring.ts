/** Creates a client's methods that read transcripts and show sessions; most commands use no others. */

import { randomUUID } from 'node:crypto';
import type { WorkspaceFolder } from 'vscode-languageserver-protocol';
import { CallFailure } from '../core/ask/callFailure.ts';
import { toSlashedPath } from '../core/files/folder.ts';
import type { StartThread } from '../node/transcript/thread/openInThread.ts';
import { createTranscriptFiles } from '../node/transcriptFiles.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { ReadRecordingResult } from '../protocol/recorder.ts';
import type { Settings } from '../protocol/settings.ts';
import type { ConnectedClient } from '../rpc/call/client.ts';
import type { RequestMethod } from '../rpc/call/define.ts';
import { createClientModel } from '../rpc/clientModel.ts';
import type { ClientNotifier } from '../rpc/clientNotifier.ts';
import { createHistoryMethods } from '../rpc/methods/history.ts';
import { createMeasureMethods } from '../rpc/methods/measure.ts';
import { createRecallMethod } from '../rpc/methods/recall.ts';
import { noRecorder, type RecorderPort } from '../rpc/methods/recorder.ts';
import { createSessionListMethod } from '../rpc/methods/sessionList.ts';
import { createTranscriptMethods } from '../rpc/methods/transcript.ts';
import type { ClientContext } from '../session/clientContext.ts';
import type { FileTracker } from '../session/files/tracker.ts';
import type { AskModel, Logger } from '../session/ports.ts';
import type { SessionStore } from '../session/store/store.ts';
import { Importer } from '../session/transcript/import.ts';
import type { TranscriptFollowers } from '../session/transcript/transcriptFollowers.ts';

/** The state folder, and access to the machine. */
export interface MachineOptions {
	stateFolder: string;
	platform: NodeJS.Platform;
	/** Starts a thread that reads a long transcript. Without it, the current thread reads all transcripts. */
	startThread?: StartThread;
	/** The recorder; absent in processes that do not own the state folder. */
	recorder?: RecorderPort;
}

/** The services that all clients share. */
export interface SharedParts extends MachineOptions {
	store: SessionStore;
	transcriptFollowers: TranscriptFollowers;
	/** Clients that are notified of events of sessions and files. */
	notifiers: Set<ClientNotifier>;
	/** Returns the tracker of files, which is created at the first call. */
	getTracker(): FileTracker;
}

/** A client to serve, with its settings, folders and environment. */
export interface ServedClient {
	getSettings(): Settings;
	listWorkspaceFolders(): readonly WorkspaceFolder[];
	getConnection(): ConnectedClient;
	/** Returns the capabilities that the client announced in `initialize`. */
	getCapabilities(): ClientCapabilities;
	/** Returns whether the client opens documents on request. */
	canShowDocuments(): boolean;
	log: Logger;
	/** The client's environment variables. */
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	/** Base of the client's relative paths. */
	cwd: string;
	/** Asks a provider's model with the client's keys; absent if no provider can be asked. */
	askProvider?: AskModel;
}

export interface ReadingClient {
	context: ClientContext;
	/** Returns the URI of the first workspace folder, if there is one. */
	getWorkspace(): string | undefined;
	transcriptFiles: ReturnType<typeof createTranscriptFiles>;
	importer: Importer;
	requests: readonly RequestMethod[];
}

const askNoProvider: AskModel = () =>
	Promise.reject(new CallFailure('no provider can be asked here', { retryable: false }));

/** Returns the paths of a client's folders; if it has none, that of `otherFolder`, if given. */
export function chooseFolders(
	client: Pick<ClientContext, 'listFolders'>,
	otherFolder: string | undefined,
): readonly string[] {
	const folders = client.listFolders();
	return folders.length > 0 ? folders : [toSlashedPath(otherFolder) ?? []].flat();
}

function createContext(served: ServedClient): ClientContext {
	const { getSettings, getCapabilities, log } = served;
	return {
		id: randomUUID(),
		getSettings: getSettings,
		askModel: (link, question, signal) =>
			link.provider === 'client'
				? createClientModel(served.getConnection())(link, question, signal)
				: (served.askProvider ?? askNoProvider)(link, question, signal),
		hasModel: () => getCapabilities().summarize === true,
		listFolders: () => served.listWorkspaceFolders().flatMap(({ uri }) => toSlashedPath(uri) ?? []),
		log,
	};
}

/** Creates the methods of a client that read transcripts and show sessions. */
export function wireReadingClient(shared: SharedParts, served: ServedClient): ReadingClient {
	const { platform, startThread, recorder = noRecorder, store, transcriptFollowers } = shared;
	const context = createContext(served);
	const transcriptFiles = createTranscriptFiles({ ...served, platform }, served.log, {
		startThread,
		readRecording: (recording, fromSeq) => recorder.ask<ReadRecordingResult>('read', { recording, fromSeq }),
	});
	const getWorkspace = (): string | undefined => served.listWorkspaceFolders()[0]?.uri;
	const importer = new Importer(store, transcriptFollowers, context, transcriptFiles);
	return {
		context,
		getWorkspace,
		transcriptFiles,
		importer,
		requests: [
			...createMeasureMethods(store, context),
			...createHistoryMethods(store, context),
			createRecallMethod(store, context, shared.recorder),
			createSessionListMethod(store),
			...createTranscriptMethods(importer, getWorkspace),
		],
	};
}
