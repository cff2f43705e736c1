import { parsedJson } from '../../core/shape.ts';
import { agents } from '../../core/transcript/agents.ts';
import type { Agent } from '../../core/transcript/reading/agent.ts';
import type { RecordBatch, RecordSource } from './source.ts';

/** A part of a recording: its next entries, none at the end. */
export interface RecordingPage {
	/** The recording, with the name of the agent that wrote the transcript. */
	recording: { agent: string };
	entries: readonly { seq: number; text: string }[];
}

/** Returns the entries of a recording from a seq on, as many as fit into a message. Fails with `SessionNotFound`. */
export type ReadRecording = (recordingId: string, fromSeq: number) => Promise<RecordingPage>;

/** The records of a recording, one page in memory at a time. A later read returns what was recorded since. */
export function recordingSource(recordingId: string, read: ReadRecording): RecordSource {
	let agent: Agent | undefined;
	let fromSeq = 0;
	return {
		get agent() {
			return agent;
		},
		watched: () => [],
		close: async () => undefined,
		async next() {
			const page = await read(recordingId, fromSeq);
			agent ??= agents.find(({ name }) => name === page.recording.agent);
			const last = page.entries.at(-1);
			if (last === undefined) return undefined;
			fromSeq = last.seq + 1;
			return batchOf(page);
		},
	};
}

function batchOf({ entries }: RecordingPage): RecordBatch {
	const batch: RecordBatch = { records: [], badLines: 0, startsOver: false, bytes: 0 };
	for (const { text } of entries) {
		const parsed = parsedJson(text);
		if (parsed === undefined) batch.badLines++;
		else batch.records.push(parsed.value);
		batch.bytes += text.length;
	}
	return batch;
}
