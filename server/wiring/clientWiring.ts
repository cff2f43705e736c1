/** Wires one client: its context, and the methods that work for it. */

import { toSlashedPath } from '../core/files/folder.ts';
import { mirrorAdvice, previewText, usageText } from '../front/output/reports.ts';
import { fileReader } from '../node/files/fileReader.ts';
import { truncateToolOutput } from '../node/files/truncateToolOutput.ts';
import { eraseSessions } from '../node/forget/forget.ts';
import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../protocol/output.ts';
import type { NotificationMethod, RequestMethod } from '../rpc/call/method.ts';
import { createClientNotifier } from '../rpc/clientNotifier.ts';
import { compactMethods } from '../rpc/methods/compact.ts';
import { exportMethods } from '../rpc/methods/export.ts';
import { fileMethods, fileNotifications } from '../rpc/methods/files.ts';
import { newestMethod } from '../rpc/methods/newest.ts';
import { missingRecorder, recorderMethods } from '../rpc/methods/recorder.ts';
import { reportMethod } from '../rpc/methods/report.ts';
import { sessionMethods } from '../rpc/methods/session.ts';
import { outputMethods, overflowMethods, validateMethods } from '../rpc/methods/withoutSession.ts';
import { cancelPrefetch } from '../session/compaction/prefetch.ts';
import type { FileService } from '../session/files/visibleRead.ts';
import { newestCommands } from './newestCommands.ts';
import { foldersFor, type ServedClient, type SharedParts, wireReadingClient } from './readingWiring.ts';

// Loaded with the methods that compact.
export { createReadAhead } from '../session/compaction/readAhead.ts';

/** A connected client: its methods, and the events that its conversation reports. */
export interface WiredClient {
	requests: readonly RequestMethod[];
	/** Commands that need no argument. */
	commands: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** Call when the client has opened or closed folders. */
	foldersChanged(): void;
	/** Call when the client has disconnected: ends what was done only for it. */
	close(): Promise<void>;
}

/** Returns the folders whose sessions a client means if it names none. */
function searchedFolders(folders: readonly string[], { cwd }: ServedClient): readonly string[] {
	return folders.length > 0 ? folders : [toSlashedPath(cwd) ?? []].flat();
}

/** Connects a client to the shared services. */
export function connectClient(
	shared: SharedParts,
	served: ServedClient,
	reading = wireReadingClient(shared, served),
): WiredClient {
	const { stateFolder, store, followings, pushes, tracker, recorder = missingRecorder } = shared;
	const { context: client, workspace, files, importer } = reading;
	const push = createClientNotifier(store, client, served.client);
	if (served.offers().notifications) pushes.add(push);
	const fileService: FileService = {
		reader: fileReader,
		get tracker() {
			return tracker();
		},
		folders: (session) => foldersFor(client, session),
	};
	const shortenOutput = (request: TruncateToolOutputParams): Promise<TruncateToolOutputResult> => {
		const { maxToolOutputBytes, maxToolOutputLines } = served.settings().compaction;
		return truncateToolOutput(
			{ maxBytes: maxToolOutputBytes, maxLines: maxToolOutputLines, ...request },
			{ workspaceFolders: client.folders(), savedOutputs: { stateFolder } },
		);
	};
	const requests = [
		...reading.requests,
		...sessionMethods(store, client, { workspace, settingsOf: files.settingsOf }),
		...compactMethods(store, client, () => served.offers().confirmCompaction === true),
		...exportMethods(store, client),
		...fileMethods(store, client, fileService),
		...overflowMethods(),
		...validateMethods(store, client),
		...outputMethods(shortenOutput),
		...recorderMethods(recorder, {
			environment: served.environment,
			forget: (params) => eraseSessions(params, { stateFolder, recorder, sessions: store }),
		}),
		newestMethod({
			store,
			importer,
			folders: () => searchedFolders(client.folders(), served),
			advise: mirrorAdvice,
		}),
		reportMethod(store, client, { usage: usageText, compaction: previewText }),
	];
	return {
		requests,
		commands: newestCommands(requests, served, stateFolder),
		notifications: fileNotifications(store, client, fileService),
		foldersChanged: () => store.services.files && tracker().foldersChanged(),
		async close() {
			pushes.delete(push);
			// The client's keys must not be used any more.
			for (const session of store.open()) cancelPrefetch(session, client);
			await followings.leave(client);
		},
	};
}
