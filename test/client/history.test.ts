import { describe, expect, it } from 'vitest';
import { computeDiffSides, predictHistory } from '../../client-vscode/src/documents/changes.ts';
import {
	createExcerpt,
	formatHistory,
	parseHeadingId,
	toListLabel,
} from '../../client-vscode/src/text/historyText.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';

const history: ChatMessage[] = [
	{ id: 'm1', role: 'user', content: 'Why does it fail?' },
	{
		id: 'm2',
		role: 'assistant',
		content: [{ type: 'text', text: 'I look.' }],
		toolCalls: [{ id: 'c1', name: 'read_file', args: { path: 'a.ts' } }],
	},
	{ id: 'm3', role: 'tool', toolCallId: 'c1', toolName: 'read_file', content: 'export {};' },
];

describe('histories as text', () => {
	it('the text of a history contains whole messages without ids', () => {
		const content = Array.from({ length: 120 }, (_, line) => `line ${line}`).join('\n');
		expect(formatHistory([{ id: 'm', role: 'user', content }])).toBe(`─── user ───\n${content}\n`);
		expect(formatHistory(history)).toContain('→ read_file {\n  "path": "a.ts"\n}');
	});

	it('an excerpt shows the first lines of a long text, and counts the others', () => {
		const content = Array.from({ length: 120 }, (_, line) => `line ${line}`).join('\n');
		const lines = createExcerpt(content, { maxLines: 20, maxLineUnits: 300 });
		expect(lines).toHaveLength(21);
		expect(lines.at(-1)).toBe('… 100 more lines: open the message to read them');
	});

	it('an excerpt shortens a long line only if that saves space', () => {
		const most = { maxLines: 2, maxLineUnits: 300 };
		expect(createExcerpt('x'.repeat(1000), most)).toEqual([`${'x'.repeat(300)} … 700 more characters`]);
		expect(createExcerpt('x'.repeat(310), most)).toEqual(['x'.repeat(310)]);
	});

	it('an id of a message is found only in a heading', () => {
		expect(parseHeadingId('─── read_file a.ts ─── m3')).toBe('m3');
		expect(parseHeadingId('a line of text m3')).toBeNull();
	});

	it('the text of a history describes images, reasoning and opaque parts', () => {
		const image: ChatMessage = {
			role: 'user',
			content: [
				{ type: 'image', mediaType: 'image/png', width: 10, height: 20 },
				{ type: 'reasoning', text: 'hm' },
				{ type: 'opaque', value: { a: 1 } },
			],
		};
		expect(formatHistory([image])).toContain(
			'(image, image/png, 10 × 20)\n(thinking)\nhm\n(of the provider) {"a":1}',
		);
	});

	it('the label of a message in a list is one short line', () => {
		const { label, detail } = toListLabel({ role: 'user', content: `a\n${'b '.repeat(200)}` });
		expect(label).toBe('user');
		expect(detail).toHaveLength(120);
		expect(detail).not.toContain('\n');
	});
});

describe('planned compactions', () => {
	it('a planned history keeps the ids of messages that stay, and gives none to new ones', () => {
		const removed = [
			{ messageId: 'm1', stage: 'summarize', change: 'replaced', tokens: 5, role: 'user' },
			{ messageId: 'm3', stage: 'prune', change: 'shortened', tokens: 1200, role: 'tool' },
		] as const;
		const messages: ChatMessage[] = [
			{ id: 'summary-1', role: 'user', content: 'It failed.', metadata: { isSummary: true } },
			{ role: 'assistant', content: 'I look.' },
			{ role: 'tool', content: '[Tool result cleared]', metadata: { truncated: true } },
		];
		const after = predictHistory(history, { removed: [...removed], messages });
		expect(after.map(({ id }) => id)).toEqual([undefined, 'm2', 'm3']);
		expect(after.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
		expect(predictHistory(history, { removed: [], messages: history })).toEqual(history);
	});

	it('a planned history keeps the id of an older summary', () => {
		const older: ChatMessage = { id: 's0', role: 'user', content: 'Before.', metadata: { isSummary: true } };
		const messages = [older, ...history].map((message) =>
			message === older ? message : { ...message, id: undefined },
		);
		expect(predictHistory([older, ...history], { removed: [], messages })).toEqual([older, ...history]);
	});
});

describe('past compactions', () => {
	const full: ChatMessage[] = [
		{ id: 'm0', role: 'user', content: 'older', condenseParent: 'k1' },
		{ id: 's1', role: 'user', content: 'a summary', condenseId: 'k1', condenseParent: 'k2' },
		{ id: 'm1', role: 'assistant', content: 'old', condenseParent: 'k2' },
		{ id: 's2', role: 'user', content: 'a newer summary', condenseId: 'k2' },
		{ id: 'm2', role: 'user', content: 'cut off', metadata: { cutBy: 'r1' } },
		{ id: 'm3', role: 'assistant', content: 'new' },
	];
	const ids = (messages: ChatMessage[]) => messages.map(({ id }) => id);

	it('a comparison has the histories before and after a compaction', () => {
		const { before, after } = computeDiffSides(full, 'k2', []);
		expect(ids(before)).toEqual(['s1', 'm1', 'm3']);
		expect(ids(after)).toEqual(['s2', 'm3']);
	});

	it('a comparison includes what a later compaction hid', () => {
		const { before, after } = computeDiffSides(full, 'k1', ['k2']);
		expect(ids(before)).toEqual(['m0', 'm1', 'm3']);
		expect(ids(after)).toEqual(['s1', 'm1', 'm3']);
	});

	it('a comparison shows a shortened message as it was before', () => {
		const shortened: ChatMessage[] = [
			{ id: 't', role: 'tool', content: 'long', condenseParent: 'k1' },
			{ id: 't', role: 'tool', content: 'short', condenseId: 'k1' },
		];
		const { before, after } = computeDiffSides(shortened, 'k1', []);
		expect([...before, ...after].map(({ content }) => content)).toEqual(['long', 'short']);
	});
});
