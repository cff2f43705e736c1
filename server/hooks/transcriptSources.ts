/** Converts a transcript of Claude Code to sources for summaries. */

import { createSource } from '../core/analysis/message/messageSource.ts';
import type { Source } from '../core/analysis/message/source.ts';
import { workLimits } from '../core/compact/tuning.ts';
import { getMessageText } from '../core/history/text.ts';
import { pickDefined } from '../core/shape.ts';
import { applyEvent, claudeCode, createOutline } from '../core/transcript/index.ts';
import { openSource } from '../node/transcript/openSource.ts';
import type { IdentifiedMessage } from '../protocol/conversation.ts';

/** Returns the messages of the conversation, including those that earlier compactions hid. */
async function readMessages(transcript: string): Promise<IdentifiedMessage[]> {
	const source = await openSource(transcript);
	try {
		const reader = claudeCode.createReader();
		const outline = createOutline();
		for (let batch = await source.next(); batch !== undefined; batch = await source.next()) {
			for (const record of batch.records) {
				for (const event of reader.push(record)) applyEvent(outline, event);
			}
		}
		return outline.entries.flatMap((entry) =>
			entry.t === 'message' && entry.message ? [entry.message] : [],
		);
	} finally {
		await source.close();
	}
}

/** Returns the newest messages within the read limit of summaries, which is higher for user messages. */
function selectNewestMessages(messages: readonly IdentifiedMessage[]): Set<IdentifiedMessage> {
	let { newest, users } = workLimits.maxReadLength;
	const recent = new Set<IdentifiedMessage>();
	for (const message of messages.toReversed()) {
		const size = getMessageText(message).length;
		if (newest > 0) newest -= size;
		else if (message.role === 'user' && users > 0) users -= size;
		else continue;
		recent.add(message);
	}
	return recent;
}

/** Returns the messages of a transcript as sources, oldest first. Rejects with `FileUnreadable`. */
export async function readTranscriptSources(transcript: string): Promise<Source[]> {
	const messages = await readMessages(transcript);
	const recent = selectNewestMessages(messages);
	const tools = new Map<string, string>();
	const firstAnswerIndex = messages.findIndex(({ role }) => role === 'assistant');
	return messages.flatMap((message, seq) => {
		for (const { id, name } of message.toolCalls ?? []) tools.set(id, name);
		if (!recent.has(message)) return [];
		const { id, toolCallId, isError, timestamp } = message;
		const row = pickDefined({
			seq,
			id,
			tool: message.toolName ?? tools.get(toolCallId ?? ''),
			answers: toolCallId,
			isError: isError ? (true as const) : undefined,
			injected: message.metadata?.injected === true ? (true as const) : undefined,
			at: timestamp,
		});
		return [createSource(row, message, firstAnswerIndex < 0 || seq < firstAnswerIndex)];
	});
}
