import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkUsageFigures } from '../../../server/core/format/contextd.ts';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { agents } from '../../../server/core/transcript/agents.ts';
import { createOutline, type Outline } from '../../../server/core/transcript/outline.ts';
import type { Agent } from '../../../server/core/transcript/reading/agent.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { soakFactor } from '../../support/soak.ts';
import { spoil, strangeValue } from '../../support/spoiled.ts';
import { agentNamed, allMessages, applyEvents, visibleMessages } from '../../support/transcriptFold.ts';
import { arrays, eventful, streams } from './fixtures/all.ts';
import { clineSdkDocument, clineTaskRecord } from './fixtures/cline.ts';
import { geminiDocument } from './fixtures/geminiCli.ts';

const numRuns = 40 * soakFactor;

function fold(adapter: Agent, records: readonly unknown[]): Outline {
	const reader = adapter.createReader();
	return records.reduce<Outline>(
		(transcript, record) => applyEvents(transcript, reader.push(record)),
		createOutline(),
	);
}

function expectSound(transcript: Outline): void {
	const messages = allMessages(transcript);
	expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
	for (const message of messages) expectMessage(message);
	const ids = new Set(messages.map(({ id }) => id));
	for (const { id } of visibleMessages(transcript)) expect(ids.has(id)).toBe(true);
}

function expectMessage(message: IdentifiedMessage): void {
	expect(['system', 'user', 'assistant', 'tool']).toContain(message.role);
	expect(typeof message.content === 'string' || Array.isArray(message.content)).toBe(true);
	expect(typeof message.toolCallId).toBe(message.role === 'tool' ? 'string' : 'undefined');
	for (const call of message.toolCalls ?? []) {
		expect([typeof call.id, typeof call.name]).toEqual(['string', 'string']);
		expect(call.id).not.toBe('');
	}
	for (const figure of Object.values(message.usage ?? {})) expect(figure).toBeGreaterThanOrEqual(0);
	if (message.timestamp !== undefined) expect(Number.isFinite(message.timestamp)).toBe(true);
	// A session accepts every message that the reader returns.
	expect(() => getFormatAdapter('contextd').parse(message).map(checkUsageFigures)).not.toThrow();
}

function spoiledRecords(records: readonly unknown[]) {
	const changes = fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(20), { maxLength: 6 }), strangeValue), {
		maxLength: 6,
	});
	return fc.tuple(fc.shuffledSubarray([...records, ...records]), changes).map(([chosen, list]) => {
		const spoiled: unknown[] = [...chosen];
		for (const [index, path, by] of list) {
			if (spoiled.length > 0)
				spoiled[index % spoiled.length] = spoil(spoiled[index % spoiled.length], path, by);
		}
		return spoiled;
	});
}

const all = {
	...streams,
	...Object.fromEntries(Object.entries(eventful).map(([agent, records]) => [`${agent} (eventful)`, records])),
	'gemini-cli (document)': [geminiDocument],
	'cline (task)': [clineTaskRecord, clineSdkDocument],
	...Object.fromEntries(
		Object.entries(arrays).map(([agent, messages]) => [`${agent} (array)`, [messages, ...messages]]),
	),
};

it('every format of a transcript has a fixture', () => {
	// OpenClaw's files are read like pi's.
	const known = new Set(['openclaw', ...Object.keys(all).map((name) => name.split(' ')[0])]);
	expect(agents.map(({ name }) => name).filter((agent) => !known.has(agent))).toEqual([]);
});

describe.each(Object.entries(all))('%s', (name, records) => {
	const adapter = agentNamed(name.split(' ')[0] ?? '');

	it('damaged records never throw, and yield valid messages', () => {
		fc.assert(
			fc.property(spoiledRecords(records), (spoiled) => {
				for (const one of agents)
					for (const record of spoiled) expect(typeof one.recognizes(record)).toBe('boolean');
				expectSound(fold(adapter, spoiled));
			}),
			{ numRuns },
		);
	});
});

describe('reading a document that changes', () => {
	const documents: [string, (count: number) => unknown][] = [
		...Object.entries(arrays).map(([agent, messages]): [string, (count: number) => unknown] => [
			agent,
			(count) => messages.slice(0, count),
		]),
		['gemini-cli', (count) => ({ ...geminiDocument, messages: geminiDocument.messages.slice(0, count) })],
	];

	it.each(documents)(
		'the changing document %s is read incrementally with the same result as at once',
		(agent, documentOf) => {
			const adapter = agentNamed(agent);
			fc.assert(
				fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), (counts) => {
					const inTurn = fold(adapter, counts.map(documentOf));
					const once = fold(adapter, [documentOf(counts.at(-1) ?? 0)]);
					expect(allMessages(inTurn)).toEqual(allMessages(once));
					expect(visibleMessages(inTurn)).toEqual(visibleMessages(once));
				}),
				{ numRuns: 60 },
			);
		},
	);
});

it.each([{ usage: { input: 2e9, output: 3 } }, { tokens: 2e9 }])(
	'a message with impossible figures is read without them: %j',
	(figures) => {
		const message = { id: 'n1', role: 'assistant', content: 'Done.' };
		const transcript = fold(agentNamed('contextd'), [{ ...message, ...figures }]);
		expectSound(transcript);
		expect(allMessages(transcript)).toEqual([message]);
	},
);

it('a message that changed in place is replaced', () => {
	const [first, second] = geminiDocument.messages;
	const reader = agentNamed('gemini-cli').createReader();
	reader.push({ ...geminiDocument, messages: [first, { ...second, toolCalls: [] }] });
	const events = reader.push({ ...geminiDocument, messages: [first, second] });
	expect(events.map(({ t }) => t)).toEqual(['replace', 'message']);
});

it('OpenCode records are read in any order of arrival', () => {
	const records = streams.opencode ?? [];
	const adapter = agentNamed('opencode');
	const expected = allMessages(fold(adapter, records));
	fc.assert(
		fc.property(fc.shuffledSubarray(records, { minLength: records.length }), (shuffled) => {
			expect(allMessages(fold(adapter, shuffled))).toEqual(expected);
		}),
		{ numRuns: 100 },
	);
});
