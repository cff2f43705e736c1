import { isFields, present } from '../format/shape.ts';
import { documentChanges } from './document.ts';
import type { TranscriptAdapter, TranscriptEvent, TranscriptReader } from './events.ts';
import { infoTeller } from './info.ts';
import { messageLog } from './log.ts';
import { documentMessages, sampleMessages } from './messageArrays.ts';
import { messageRecordEvents } from './messageRecords.ts';
import { usageWithoutCache } from './usage.ts';
import { fieldsOf, firstText } from './values.ts';

const rooFields = ['condenseId', 'condenseParent', 'truncationId', 'truncationParent', 'isTruncationMarker'];

/** `api_conversation_history.json` of Roo Code: Cline's, with tags for what it condensed or truncated. */
export const rooTask: TranscriptAdapter = {
	agent: 'roo-code',
	detect: (sample) =>
		sampleMessages(sample).some((message) => {
			const { role, ...rest } = fieldsOf(message);
			if (typeof role !== 'string' || typeof rest.ts !== 'number') return false;
			return rest.isSummary !== undefined || rooFields.some((field) => rest[field] !== undefined);
		}),
	start: clineReader,
};

/** `api_conversation_history.json` of Cline, and the session files of its SDK. */
export const clineTask: TranscriptAdapter = {
	agent: 'cline',
	detect: (sample) =>
		sampleMessages(sample).some((message) => {
			const { role, ts, content } = fieldsOf(message);
			return typeof role === 'string' && typeof ts === 'number' && content !== undefined;
		}),
	start: clineReader,
};

function clineReader(): TranscriptReader {
	const tell = infoTeller();
	let given: TranscriptEvent[] = [];
	return {
		push(record) {
			const messages = documentMessages(record);
			if (messages === undefined) return [{ t: 'skipped', type: 'unknown' }];
			const { sessionId, session_id, cwd, model, provider } = fieldsOf(record);
			const info = tell({
				sessionId: firstText(sessionId, session_id),
				cwd: firstText(cwd),
				model: firstText(model),
				provider: firstText(provider),
			});
			const now = readMessages(messages);
			const changes = documentChanges(given, now);
			given = now;
			return [...info, ...changes];
		},
	};
}

function readMessages(messages: readonly unknown[]): TranscriptEvent[] {
	const log = messageLog();
	const tags = new Map<string, Set<string>>();
	return messages.flatMap((raw) => {
		const record = fieldsOf(raw);
		const metrics = fieldsOf(record.metrics);
		const usage = usageWithoutCache(
			metrics.inputTokens,
			metrics.outputTokens,
			metrics.cacheReadTokens,
			metrics.cacheWriteTokens,
		);
		const input = isFields(raw) && usage !== undefined ? { ...raw, usage } : raw;
		const events = messageRecordEvents(log, input, log.nextRecord());
		const group = firstText(record.condenseId, record.truncationId);
		if (group !== undefined && (record.isSummary === true || record.isTruncationMarker === true)) {
			return standIn(events, group, tags);
		}
		for (const event of events) {
			if (event.t !== 'message') continue;
			const parents = [record.condenseParent, record.truncationParent].filter(
				(one) => typeof one === 'string',
			);
			tags.set(event.message.id, new Set(parents));
		}
		return events;
	});
}

/** A summary or marker stands for the messages that carry its tag; the other ones before it stay. */
function standIn(
	events: readonly TranscriptEvent[],
	group: string,
	tags: Map<string, Set<string>>,
): TranscriptEvent[] {
	const replacement = events.flatMap((event) => {
		if (event.t !== 'message') return [];
		const metadata = { ...event.message.metadata, injected: true, isSummary: true };
		return [present({ ...event.message, metadata })];
	});
	const keptIds = [...tags].flatMap(([id, parents]) => (parents.has(group) || parents.size > 0 ? [] : [id]));
	return [{ t: 'compaction', replacement, keptIds }];
}
