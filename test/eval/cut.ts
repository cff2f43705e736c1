/**
 * A point at which a session is split: the messages before it are compacted, those after it show which facts were
 * needed.
 */

import type { OutlineEntry } from '../../server/core/transcript/outline.ts';
import type { ChatMessage, IdentifiedMessage } from '../../server/protocol/conversation.ts';
import { allMessages, visibleMessages } from '../support/transcriptFold.ts';
import type { EvalSession } from './evalFolder.ts';
import { messageText } from './messageText.ts';

/** Share of the entries that come before the cut. */
const shareBefore = 0.8;

/** A session split in two. */
export interface Split {
	/** The messages that the agent's model saw at the cut, without usage figures of earlier prompts. */
	before: IdentifiedMessage[];
	after: IdentifiedMessage[];
}

/** A compaction that the agent made by itself, with what its model wrote. */
export interface Boundary extends Split {
	summary: string;
}

/** The session, split at 80% of its entries, or after the last result of the calls that are open there. */
export function splitSession(session: EvalSession): Split {
	const { entries } = session.outline;
	const cut = withoutOpenCalls(entries, Math.floor(entries.length * shareBefore));
	return splitAt(session, cut);
}

/** The session, split before each of its agent's own compactions that came with a summary. */
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

/** The next cut that separates no call from its result; unanswered calls are ignored. */
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
