import { applyEvent, emptyOutline } from '../../core/transcript/outline.ts';
import type { Agent, TranscriptSample } from '../../core/transcript/reading/agent.ts';
import type { TranscriptEnds } from './ends.ts';
import { openSource } from './openSource.ts';

/**
 * Reads a whole transcript of any kind, for those whose end cannot be read alone.
 * Undefined if it is not a transcript of a known agent. Fails with `FileUnreadable`.
 */
export async function readWholeTranscript(
	path: string,
	detect: (sample: TranscriptSample) => Agent | undefined,
): Promise<TranscriptEnds | undefined> {
	const source = await openSource(path);
	try {
		const records: unknown[] = [];
		for (let batch = await source.next(); batch !== undefined; batch = await source.next()) {
			records.push(...batch.records);
		}
		const agent = detect({ records });
		if (agent === undefined) return undefined;
		const reader = agent.start();
		const outline = emptyOutline();
		for (const record of records) for (const event of reader.push(record)) applyEvent(outline, event);
		return { agent, start: outline, end: outline };
	} finally {
		await source.close();
	}
}
