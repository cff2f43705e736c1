/** Connects one client to the services: creates its context and the methods that work for it. */

import { adviseOnMirror, writeCompaction, writeUsage } from '../front/output/reports.ts';
import { fileReader } from '../node/files/fileReader.ts';
import { truncateToolOutput } from '../node/files/truncateToolOutput.ts';
import { eraseSessions } from '../node/forget/forget.ts';
import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../protocol/output.ts';
import type { NotificationMethod, RequestMethod } from '../rpc/call/define.ts';
import { createClientNotifier } from '../rpc/clientNotifier.ts';
import { createCompactMethods } from '../rpc/methods/compact.ts';
import { createFileMethods, createFileNotifications } from '../rpc/methods/files.ts';
import { createNewestMethod } from '../rpc/methods/newest.ts';
import { createRecorderMethods, noRecorder } from '../rpc/methods/recorder.ts';
import { createReportMethod } from '../rpc/methods/report.ts';
import { createSessionMethods } from '../rpc/methods/session.ts';
import { createSessionlessMethods } from '../rpc/methods/withoutSession.ts';
import { cancelPrefetch } from '../session/compaction/prefetch.ts';
import type { FileService } from '../session/files/visibleRead.ts';
import { createNewestSessionCommands } from './newestCommands.ts';
import { chooseFolders, type ServedClient, type SharedParts, wireReadingClient } from './readingWiring.ts';

// Exported here to be loaded together with the methods that compact.
export { createBackgroundReader } from '../session/compaction/readAhead.ts';

/** The methods of a connected client, and what to call when the client changes folders or disconnects. */
export interface WiredClient {
	requests: readonly RequestMethod[];
	/** Commands that need no argument. */
	commands: readonly RequestMethod[];
	notifications: readonly NotificationMethod[];
	/** To be called when the client has opened or closed folders. */
	notifyFoldersChanged(): void;
	/** To be called when the client has disconnected: ends what was done only for it. */
	close(): Promise<void>;
}

/** Connects a client to the shared services. */
export function connectClient(
	shared: SharedParts,
	served: ServedClient,
	readingClient = wireReadingClient(shared, served),
): WiredClient {
	const { stateFolder, store, transcriptFollowers, notifiers, getTracker, recorder = noRecorder } = shared;
	const { context: client, getWorkspace, transcriptFiles, importer } = readingClient;
	const notifier = createClientNotifier(store, client, served.getConnection);
	if (served.getCapabilities().notifications) notifiers.add(notifier);
	const fileService: FileService = {
		reader: fileReader,
		get tracker() {
			return getTracker();
		},
		listFolders: ({ state }) => chooseFolders(client, state.info.workspace),
	};
	const shortenOutput = (request: TruncateToolOutputParams): Promise<TruncateToolOutputResult> => {
		const { maxToolOutputBytes, maxToolOutputLines } = served.getSettings().compaction;
		return truncateToolOutput(
			{ maxBytes: maxToolOutputBytes, maxLines: maxToolOutputLines, ...request },
			{ workspaceFolders: client.listFolders(), savedOutputs: { stateFolder } },
		);
	};
	const requests = [
		...readingClient.requests,
		...createSessionMethods(store, client, {
			getWorkspace,
			readAgentSettings: transcriptFiles.readAgentSettings,
		}),
		...createCompactMethods(store, client, () => served.getCapabilities().confirmCompaction === true),
		...createFileMethods(store, client, fileService),
		...createSessionlessMethods(store, client, shortenOutput),
		...createRecorderMethods(recorder, {
			environment: served.environment,
			forget: (params) => eraseSessions(params, { stateFolder, recorder, sessions: store }),
		}),
		createNewestMethod({
			store,
			importer,
			listFolders: () => chooseFolders(client, served.cwd),
			getAdvice: adviseOnMirror,
		}),
		createReportMethod(store, client, { writeUsage, writeCompaction }),
	];
	return {
		requests,
		commands: createNewestSessionCommands(requests, served, stateFolder),
		notifications: createFileNotifications(store, client, fileService),
		notifyFoldersChanged: () => store.services.files && getTracker().relocateFiles(),
		async close() {
			notifiers.delete(notifier);
			// The client's keys must not be used any more.
			for (const session of store.listOpen()) cancelPrefetch(session, client);
			await transcriptFollowers.leave(client);
		},
	};
}
