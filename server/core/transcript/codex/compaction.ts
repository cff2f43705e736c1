import type { ChatMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import { contentOf } from '../reading/blocks.ts';
import { isInjectedContent } from '../reading/injected.ts';
import { fieldsOf, firstText, listOf } from '../reading/values.ts';
import { codexInjections } from './injected.ts';
import { readCodexItem } from './items.ts';

/** What tells whether a message of people or of the system was there before; empty for any other. */
export function textKey({ role, content }: ChatMessage): string {
	return role === 'user' || role === 'system' ? `${role} ${JSON.stringify(content)}` : '';
}

/** The messages that a `compacted` record leaves, its summary marked; the summary is added where it is missing. */
export function compactedMessages(payload: Fields, recordId: string): ChatMessage[] {
	const summary = firstText(payload.message);
	const items = listOf(payload.replacement_history).filter((item) => !isUnseen(item));
	const messages = items.map((item) => replacementMessage(item, recordId));
	if (summary !== undefined && !messages.some(({ content }) => content === summary)) {
		messages.push({ role: 'user', content: summary });
	}
	return messages.map((message) => {
		const isSummary = message.content === summary || message.metadata?.isSummary === true;
		const injected =
			message.role === 'user' && (isSummary || isInjectedContent(message.content, codexInjections));
		if (!isSummary && !injected) return message;
		return { ...message, metadata: { ...(injected && { injected }), ...(isSummary && { isSummary }) } };
	});
}

/** Snapshots of the working tree are the agent's own, and no model sees them. */
function isUnseen(item: unknown): boolean {
	return fieldsOf(item).type === 'ghost_snapshot';
}

/** One item of the history that a compaction leaves; an encrypted summary is carried as it is. */
function replacementMessage(value: unknown, recordId: string): ChatMessage {
	const item = isFields(value) ? readCodexItem(value, recordId) : undefined;
	switch (item?.kind) {
		case 'message':
			return {
				role: item.role,
				content: contentOf(item.parts),
				...(item.injected && { metadata: { injected: true } }),
			};
		case 'reasoning':
			return { role: 'assistant', content: contentOf(item.parts) };
		case 'call':
			return { role: 'assistant', content: '', toolCalls: [item.call] };
		case 'result':
			return { role: 'tool', content: item.content, toolCallId: item.callId ?? 'unknown' };
		default:
			return { role: 'user', content: [{ type: 'opaque', value }], metadata: { isSummary: true } };
	}
}
