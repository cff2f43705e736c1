import { tryParseJson } from '../../core/shape.ts';
import { type Agent, agents, DocumentJoiner } from '../../core/transcript/index.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** Consecutive entries of a recording. */
export interface RecordingPage {
	/** The recording, with the name of the agent that wrote the transcript. */
	recording: { agent: string };
	/** The next entries; none at the end of the recording. */
	entries: readonly { seq: number; text: string }[];
}

/** Reads the entries of a recording from a seq on, as many as fit into one message. Fails with `SessionNotFound`. */
export type ReadRecording = (recordingId: string, fromSeq: number) => Promise<RecordingPage>;

/**
 * Creates a source of the records of a recording, with one page in memory at a time. A document that was split into entries becomes
 * one record at the end. Later reads return what was recorded since.
 */
export function createRecordingSource(recordingId: string, read: ReadRecording): RecordSource {
	let agent: Agent | undefined;
	let fromSeq = 0;
	const joiner = new DocumentJoiner();
	return {
		get agent() {
			return agent;
		},
		listWatchedPaths: () => [],
		close: async () => undefined,
		async next() {
			const page = await read(recordingId, fromSeq);
			agent ??= agents.find(({ name }) => name === page.recording.agent);
			const lastEntry = page.entries.at(-1);
			if (lastEntry === undefined) {
				const records = joiner.takeDocument();
				return records.length === 0 ? undefined : { records, badLineCount: 0, isRestart: false, bytes: 0 };
			}
			fromSeq = lastEntry.seq + 1;
			return toBatch(page, joiner);
		},
	};
}

function toBatch({ entries }: RecordingPage, joiner: DocumentJoiner): RecordBatch {
	const batch: RecordBatch = { records: [], badLineCount: 0, isRestart: false, bytes: 0 };
	for (const { text } of entries) {
		const parsed = tryParseJson(text);
		if (parsed === undefined) batch.badLineCount++;
		else batch.records.push(...joiner.push(parsed.value));
		batch.bytes += text.length;
	}
	return batch;
}
