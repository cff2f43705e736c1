import { type TextStore, WholeHistory } from '../../core/restore/wholeHistory.ts';
import { type Agent, applyEvent, createOutline } from '../../core/transcript/index.ts';
import type { OpenTranscript } from '../../session/transcript/reader.ts';
import type { TranscriptEnds } from './ends.ts';
import { openSource } from './openSource.ts';

/**
 * Reads a whole transcript, for kinds of files whose end cannot be read alone. Returns undefined if the file is not a transcript of
 * a known agent. Fails with `FileUnreadable`.
 */
export async function readWholeTranscript(
	path: string,
	detect: (records: readonly unknown[]) => Agent | undefined,
): Promise<TranscriptEnds | undefined> {
	const source = await openSource(path);
	try {
		const records: unknown[] = [];
		for (let batch = await source.next(); batch !== undefined; batch = await source.next())
			records.push(...batch.records);
		const agent = detect(records);
		if (agent === undefined) return undefined;
		const reader = agent.createReader();
		const outline = createOutline();
		for (const record of records) for (const event of reader.push(record)) applyEvent(outline, event);
		return { agent, start: outline, end: outline };
	} finally {
		await source.close();
	}
}

/**
 * Reads a transcript from start to end, and closes it. Texts are stored in `texts`, so that a transcript of a gigabyte needs about
 * as much memory as its longest message. Fails with `FileUnreadable`.
 * @param onRead called after each chunk with the number of bytes read so far
 */
export async function readWholeHistory(
	transcript: Pick<OpenTranscript, 'readNext' | 'close'>,
	texts: TextStore,
	onRead: (bytes: number) => void = () => {},
): Promise<WholeHistory> {
	const history = new WholeHistory(texts);
	let bytes = 0;
	try {
		for (let chunk = await transcript.readNext(); chunk !== undefined; chunk = await transcript.readNext()) {
			// The file was rewritten during the read, so its messages follow again and must not be shown twice.
			if (chunk.isRestart) history.apply({ t: 'rewind', toMessageId: null });
			for (const event of chunk.events) history.apply(event);
			bytes += chunk.bytes;
			onRead(bytes);
		}
	} finally {
		await transcript.close();
	}
	return history;
}
