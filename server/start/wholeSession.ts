import { Failure } from '../core/failure.ts';
import { findAgentLabel, isPlainFormat, parseRecordingPath } from '../core/transcript/index.ts';
import type { CommandDaemon } from '../front/console/daemon.ts';
import { createInputFailure } from '../front/console/failure.ts';
import type { WholeSession } from '../front/restore/restoredTranscript.ts';
import { createScratchTextStore } from '../node/scratchTextStore.ts';
import { openSource } from '../node/transcript/openSource.ts';
import { openRecords } from '../node/transcript/openTranscript.ts';
import { createRecordingSource } from '../node/transcript/recordingSource.ts';
import { readWholeHistory } from '../node/transcript/wholeTranscript.ts';
import { recorderRead } from '../protocol/recorder.ts';

/**
 * Reads all of a transcript or of a recording of the daemon. The texts of a long one are kept in a temporary file
 * until `close`.
 */
export async function openWholeSession(
	path: string,
	daemon: CommandDaemon,
	onRead: (bytes: number) => void,
): Promise<WholeSession> {
	const texts = createScratchTextStore();
	try {
		const { source, transcriptPath } = await openRecordsSource(path, daemon);
		const transcript = await openRecords(transcriptPath, source);
		const { agent } = transcript;
		const history = await readWholeHistory(transcript, texts, onRead);
		const isPlain = isPlainFormat(agent);
		const label = isPlain ? 'The assistant' : findAgentLabel(agent);
		return { history, agent, label, path: transcriptPath, close: () => texts.clear() };
	} catch (error) {
		texts.clear();
		throw error instanceof Failure ? createInputFailure(error.message) : error;
	}
}

/** Returns the records of a transcript or recording, and the path of the transcript, which may no longer exist. */
async function openRecordsSource(path: string, daemon: CommandDaemon) {
	const recording = parseRecordingPath(path);
	if (recording === undefined) return { source: await openSource(path), transcriptPath: path };
	const first = await daemon.request(recorderRead, { recording, fromSeq: Number.MAX_SAFE_INTEGER });
	const source = createRecordingSource(recording, (id, fromSeq) =>
		daemon.request(recorderRead, { recording: id, fromSeq }),
	);
	return { source, transcriptPath: first.recording.path };
}
