/** Reads whole transcripts in memory, and folds their events like the product. */

import { agents, detectAgent } from '../../server/core/transcript/agents.ts';
import {
	applyEvent,
	createOutline,
	type Outline,
	type OutlineEntry,
} from '../../server/core/transcript/outline.ts';
import type { Agent } from '../../server/core/transcript/reading/agent.ts';
import type { TranscriptEvent } from '../../server/core/transcript/reading/events.ts';
import { parseRecords } from '../../server/core/transcript/reading/lines.ts';
import type { IdentifiedMessage } from '../../server/protocol/conversation.ts';

/** Applies events to the outline in place. */
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

/** Returns every message that was not rewound, with each summary at the position of its compaction. */
export function allMessages({ entries }: Outline): IdentifiedMessage[] {
	return entries.flatMap(messagesOf);
}

/** Returns the messages that the model saw last: those that remained after the newest compaction, and later ones. */
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

/** Returns the agent with a name. */
export function agentNamed(name: string): Agent {
	const agent = agents.find((one) => one.name === name);
	if (agent === undefined) throw new Error(`no agent ${name}`);
	return agent;
}

/** Reads the text of a whole file as a transcript; undefined if its format is unknown. */
export function readTranscript(
	text: string,
): { agent: string; transcript: Outline; badLineCount: number } | undefined {
	const { records, badLineCount } = parseRecords(text);
	const agent = detectAgent(records);
	if (agent === undefined) return undefined;
	const reader = agent.createReader();
	const transcript = createOutline();
	for (const record of records) applyEvents(transcript, reader.push(record));
	return { agent: agent.name, transcript, badLineCount };
}
