/**
 * Splits a session at a point: the messages before it are compacted, and the messages after it show which facts were
 * needed.
 */

import type { OutlineEntry } from '../../server/core/transcript/outline.ts';
import type { ChatMessage, IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { allMessages, visibleMessages } from '../support/transcriptFold.ts';
import type { EvalSession } from './evalFolder.ts';
import { messageText } from './messageText.ts';

/** Share of the entries that come before the split point. */
const shareBefore = 0.8;

/** A session split in two. */
export interface Split {
	/** The messages that the agent's model saw at the split point, without usage figures of earlier prompts. */
	before: IdentifiedMessage[];
	after: IdentifiedMessage[];
}

/** A compaction that the agent made by itself, with the summary of its model. */
export interface Boundary extends Split {
	summary: string;
}

/** Splits a session at 80% of its entries, or after the results of calls that are unanswered at this point. */
export function splitSession(session: EvalSession): Split {
	const { entries } = session.outline;
	const cut = withoutOpenCalls(entries, Math.floor(entries.length * shareBefore));
	return splitAt(session, cut);
}

/** Splits a session before each compaction of its agent that wrote a summary. */
export function boundariesOf(session: EvalSession): Boundary[] {
	return session.outline.entries.flatMap((entry, index) => {
		if (entry.t !== 'compaction') return [];
		const known = new Set(visibleBefore(session, index).map(({ id }) => id));
		const summary = entry.replacement.filter(({ id }) => !known.has(id)).map(messageText);
		return summary.length === 0 ? [] : [{ ...splitAt(session, index), summary: summary.join('\n') }];
	});
}

function splitAt(session: EvalSession, cut: number): Split {
	const { outline } = session;
	const after = outline.entries.slice(cut).filter(({ t }) => t === 'message');
	return { before: visibleBefore(session, cut), after: allMessages({ ...outline, entries: after }) };
}

function visibleBefore({ outline }: EvalSession, cut: number): IdentifiedMessage[] {
	const entries = outline.entries.slice(0, cut);
	const compaction = entries.findLastIndex(({ t }) => t === 'compaction');
	return visibleMessages({ ...outline, entries }).map((message) => {
		const position = outline.positions.get(message.id) ?? -1;
		return position > compaction ? message : withoutUsage(message);
	});
}

function withoutUsage({ usage: _, ...message }: IdentifiedMessage): IdentifiedMessage {
	return message;
}

/** Returns the next split point that separates no call from its result. Ignores calls that are never answered. */
function withoutOpenCalls(entries: readonly OutlineEntry[], cut: number): number {
	const open = new Set(
		entries
			.slice(0, cut)
			.flatMap((entry) => messageOf(entry)?.toolCalls ?? [])
			.map(({ id }) => id),
	);
	for (const entry of entries.slice(0, cut)) open.delete(messageOf(entry)?.toolCallId ?? '');
	const last = entries.findLastIndex((entry) => open.has(messageOf(entry)?.toolCallId ?? ''));
	return Math.max(cut, last + 1);
}

function messageOf(entry: OutlineEntry): ChatMessage | undefined {
	return entry.t === 'message' ? entry.message : undefined;
}
