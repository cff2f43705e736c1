import { describe, expect, it } from 'vitest';
import {
	containsMessage,
	WholeHistory,
	type WholeMessage,
} from '../../../server/core/restore/wholeHistory.ts';
import { createOutline } from '../../../server/core/transcript/outline.ts';
import type { TranscriptEvent } from '../../../server/core/transcript/reading/events.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { agentNamed, allMessages, applyEvents } from '../../support/transcriptFold.ts';
import { arrays, eventful, streams } from '../transcript/fixtures/all.ts';

function wholeOf(events: readonly TranscriptEvent[]): WholeHistory {
	const history = new WholeHistory();
	for (const event of events) history.apply(event);
	return history;
}

function messagesOf(history: WholeHistory): WholeMessage[] {
	return [...history.listEntries()].filter((entry) => entry.t === 'message');
}

/** Returns a history in short form: `text`, `(text)` if it was abandoned, `--summary--` for a compaction. */
function short(history: WholeHistory): string[] {
	return Array.from(history.listEntries(), (entry) => {
		if (entry.t === 'compaction') return `--${entry.replacement.map(({ content }) => content).join()}--`;
		const text = String(entry.message.content);
		return entry.isCurrent ? text : `(${text})`;
	});
}

const said = (id: string, content: string): TranscriptEvent => ({
	t: 'message',
	message: { id, role: 'user', content },
});

/** Returns all messages that the outline contained at any time while the records were read. */
function everShown(agent: string, records: readonly unknown[]): IdentifiedMessage[] {
	const reader = agentNamed(agent).createReader();
	const outline = createOutline();
	return records.flatMap((record) =>
		reader.push(record).flatMap((event) => structuredClone(allMessages(applyEvents(outline, [event])))),
	);
}

describe.each([
	...Object.entries(streams),
	...Object.entries(eventful),
	...Object.entries(arrays).map(([agent, messages]): [string, unknown[]] => [agent, [messages]]),
])('the whole history of a %s transcript', (agent, records) => {
	it('contains every message that was ever shown', () => {
		const reader = agentNamed(agent).createReader();
		const history = wholeOf(records.flatMap((record) => reader.push(record)));
		const versions = Array.from(history.listEntries(), (entry) =>
			entry.t === 'message' ? [entry.message, ...entry.otherVersions] : entry.replacement,
		).flat();
		for (const message of everShown(agent, records)) {
			const own = versions.filter(({ id }) => id === message.id);
			expect(own.some((version) => containsMessage(version, message))).toBe(true);
		}
	});

	it('a whole history has the current messages in the order of the outline', () => {
		const reader = agentNamed(agent).createReader();
		const events = records.flatMap((record) => reader.push(record));
		const expected = allMessages(applyEvents(createOutline(), events)).map(({ id }) => id);
		const current = [...wholeOf(events).listEntries()].filter(({ isCurrent }) => isCurrent);
		const ids = current.flatMap((entry) =>
			entry.t === 'message' ? [entry.message.id] : entry.replacement.map(({ id }) => id),
		);
		expect(ids).toEqual(expected);
	});
});

it('keeps messages before a compaction in their place', () => {
	const summary: IdentifiedMessage = { id: 's', role: 'user', content: 'Summary' };
	const history = wholeOf([
		said('a', 'One'),
		{ t: 'compaction', replacement: [summary], visibleIds: ['s'], tokensBefore: 9 },
		said('b', 'Two'),
	]);
	expect(short(history)).toEqual(['One', '--Summary--', 'Two']);
	expect(history.countEntries()).toEqual({ messages: 2, compactions: 1, abandoned: 0 });
});

it('marks messages that a rewind removed, and keeps them where they were', () => {
	const history = wholeOf([
		said('a', 'One'),
		said('b', 'Two'),
		{ t: 'rewind', toMessageId: 'a' },
		said('c', 'Three'),
	]);
	expect(short(history)).toEqual(['One', '(Two)', 'Three']);
	expect(history.countEntries().abandoned).toBe(1);
});

it('shows a message once if it returns after a rewind', () => {
	const history = wholeOf([
		said('a', 'One'),
		said('b', 'Two'),
		{ t: 'rewind', toMessageId: 'a' },
		said('new', 'Between'),
		said('b', 'Two'),
	]);
	expect(short(history)).toEqual(['One', 'Between', 'Two']);
});

it('ignores a rewind to a message that does not exist', () => {
	const history = wholeOf([said('a', 'One'), { t: 'rewind', toMessageId: 'other' }]);
	expect(short(history)).toEqual(['One']);
});

it('keeps the long version of a message that was cleared, and the note that replaced it', () => {
	const output = 'a long output of a tool';
	const history = wholeOf([
		said('a', output),
		{ t: 'replace', messageId: 'a', message: { id: 'a', role: 'user', content: '[cleared]' } },
		{ t: 'replace', messageId: 'a', message: { id: 'a', role: 'user', content: '[cleared]' } },
	]);
	const [{ message, otherVersions } = { otherVersions: [] }] = messagesOf(history);
	expect(message?.content).toBe(output);
	expect(otherVersions.map(({ content }) => content)).toEqual(['[cleared]']);
});

it('a whole history has one version of an answer that arrived in parts', () => {
	const history = wholeOf([
		said('a', 'He'),
		{ t: 'replace', messageId: 'a', message: { id: 'a', role: 'user', content: 'Hello' } },
		{ t: 'replace', messageId: 'a', message: { id: 'a', role: 'user', content: 'Hello there' } },
	]);
	expect(messagesOf(history)).toMatchObject([{ message: { content: 'Hello there' }, otherVersions: [] }]);
});

it('adds figures that follow their message', () => {
	const usage = { input: 1, output: 2 };
	const history = wholeOf([said('a', 'One'), { t: 'usage', messageId: 'a', usage, stopReason: 'stop' }]);
	expect(messagesOf(history)[0]?.message).toMatchObject({ usage, stopReason: 'stop' });
});

it('keeps an output that OpenCode pruned, since OpenCode still stores it', () => {
	const tool = { status: 'completed', input: {}, output: 'the whole output', time: { end: 2, compacted: 3 } };
	const reader = agentNamed('opencode').createReader();
	const records = [
		{ id: 'ses', projectID: 'p', directory: '/w' },
		{ id: 'p1', sessionID: 'ses', messageID: 'm1', type: 'tool', tool: 'read', callID: 'c', state: tool },
		{ id: 'm1', sessionID: 'ses', role: 'assistant', time: { created: 1 } },
	];
	const events = records.flatMap((record) => reader.push(record));
	expect(messagesOf(wholeOf(events)).at(-1)?.message.content).toBe('the whole output');
	// The model sees only the note.
	expect(allMessages(applyEvents(createOutline(), events)).at(-1)?.content).toContain('cleared');
});
