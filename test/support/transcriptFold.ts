/** Whole transcripts in memory, folded as the product folds them. */

import { agents, detectAgent, sampleRecords } from '../../server/core/transcript/agents.ts';
import {
	applyEvent,
	emptyOutline,
	type Outline,
	type OutlineEntry,
} from '../../server/core/transcript/outline.ts';
import type { Agent } from '../../server/core/transcript/reading/agent.ts';
import type { TranscriptEvent } from '../../server/core/transcript/reading/events.ts';
import { parseRecords } from '../../server/core/transcript/reading/lines.ts';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';

/** Takes events into the outline, in place. */
export function applyEvents(outline: Outline, events: readonly TranscriptEvent[]): Outline {
	for (const event of events) applyEvent(outline, event);
	return outline;
}

function messagesOf(entry: OutlineEntry): IdentifiedMessage[] {
	if (entry.t === 'compaction') return entry.replacement;
	const { message, usage, stopReason } = entry;
	if (message === undefined) return [];
	return [{ ...message, ...(usage && { usage }), ...(stopReason !== undefined && { stopReason }) }];
}

/** Every message that was not rewound, summaries at the place where they were made. */
export function allMessages({ entries }: Outline): IdentifiedMessage[] {
	return entries.flatMap(messagesOf);
}

/** What the model saw last: what the newest compaction left, and what came since. */
export function visibleMessages(outline: Outline): IdentifiedMessage[] {
	const { entries, positions } = outline;
	const last = entries.findLastIndex((entry) => entry.t === 'compaction');
	const compaction = entries[last];
	const since = entries.slice(last + 1).flatMap(messagesOf);
	if (compaction?.t !== 'compaction') return since;
	const kept = compaction.visibleIds.flatMap((id) => {
		const entry = entries[positions.get(id) ?? -1];
		return entry === undefined ? [] : messagesOf(entry).filter((message) => message.id === id);
	});
	return [...kept, ...since];
}

/** The agent of that name. */
export function agentNamed(name: string): Agent {
	const agent = agents.find((one) => one.name === name);
	if (agent === undefined) throw new Error(`no agent ${name}`);
	return agent;
}

/** A whole file's text as a transcript; undefined where its format is not known. */
export function readTranscript(
	text: string,
): { agent: string; transcript: Outline; badLines: number } | undefined {
	const { records, badLines } = parseRecords(text);
	const agent = detectAgent({ records: records.slice(0, sampleRecords) });
	if (agent === undefined) return undefined;
	const reader = agent.start();
	const transcript = emptyOutline();
	for (const record of records) applyEvents(transcript, reader.push(record));
	return { agent: agent.name, transcript, badLines };
}
