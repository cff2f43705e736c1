import type { CallQuery, CollectedCalls } from '../core/cost/audit/audit.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import { collectCalls } from '../node/audit/collectCalls.ts';
import type { RecordedTranscripts } from '../node/audit/recordedCalls.ts';
import type { RecordingPage } from '../node/transcript/recordingSource.ts';
import type { RecordedSession } from '../protocol/recorder.ts';
import { getRecorderFolder, readRecorderSettings } from '../recorder/settings.ts';
import { findUserStateFolder } from '../relay/storageLocation.ts';
import type { InProcessOptions } from './inProcess.ts';
import { RemoteRecorder } from './remoteRecorder.ts';

/** Maximum number of recordings that a daemon lists. */
const maxRecordings = 10_000;

/** Returns the recordings of a daemon, read through its recorder. */
function openRecordings(recorder: RemoteRecorder): RecordedTranscripts {
	return {
		async list(since) {
			const params = { since, limit: maxRecordings };
			return (await recorder.ask<{ sessions: RecordedSession[] }>('sessions', params)).sessions;
		},
		read: (recording, fromSeq) => recorder.ask<RecordingPage>('read', { recording, fromSeq }),
	};
}

/** Collects the calls in all transcripts and, if the user records sessions, in the recordings of the daemon. */
export async function collectAllCalls(
	query: CallQuery,
	context: Pick<InProcessOptions, 'environment' | 'platform' | 'home'>,
	connectDaemon: () => Promise<CommandDaemon>,
): Promise<CollectedCalls> {
	const stateFolder = await findUserStateFolder(context);
	if (!readRecorderSettings(getRecorderFolder(stateFolder)).recording)
		return collectCalls(query, context, stateFolder);
	const recorder = new RemoteRecorder(connectDaemon);
	try {
		return await collectCalls(query, context, stateFolder, openRecordings(recorder));
	} finally {
		await recorder.close();
	}
}
