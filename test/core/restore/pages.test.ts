import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderHtmlPage } from '../../../server/core/restore/html.ts';
import { renderJsonDocument } from '../../../server/core/restore/json.ts';
import { renderMarkdownPage } from '../../../server/core/restore/markdown.ts';
import { fenceText, quoteMarkdown } from '../../../server/core/restore/markdownText.ts';
import type { RestoredSession } from '../../../server/core/restore/restoredPage.ts';
import { WholeHistory } from '../../../server/core/restore/wholeHistory.ts';
import type { TranscriptEvent } from '../../../server/core/transcript/reading/events.ts';
import type { ChatMessage, IdentifiedMessage } from '../../../server/protocol/conversation.ts';

const pixel =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function sessionOf(events: readonly TranscriptEvent[]): RestoredSession {
	const history = new WholeHistory();
	for (const event of events) history.apply(event);
	return { history, agent: 'codex', label: 'Codex', path: '/sessions/rollout.jsonl' };
}

let lastId = 0;
function message(given: ChatMessage): TranscriptEvent {
	return { t: 'message', message: { ...given, id: `m${++lastId}` } };
}

const summary: IdentifiedMessage = { id: 's', role: 'user', content: 'The summary' };

const session = sessionOf([
	{ t: 'info', info: { title: 'A title', cwd: '/home/me/app' } },
	message({ role: 'user', content: 'Fix the parser', timestamp: Date.UTC(2026, 0, 2, 3, 4) }),
	message({
		role: 'assistant',
		content: [
			{ type: 'reasoning', text: 'I should look' },
			{ type: 'text', text: 'Looking' },
		],
		toolCalls: [{ id: 'c', name: 'shell', args: { command: 'cat parser.ts' } }],
	}),
	message({ role: 'tool', toolCallId: 'c', toolName: 'shell', content: 'export const parser = 1;' }),
	message({ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: pixel }] }),
	{ t: 'compaction', replacement: [summary], visibleIds: ['s'], trigger: 'auto', tokensBefore: 120_000 },
	message({ role: 'assistant', content: 'Left behind' }),
	{ t: 'rewind', toMessageId: 's' },
	message({ role: 'assistant', content: 'Done' }),
]);

const pages = {
	html: [...renderHtmlPage(session)].join(''),
	markdown: [...renderMarkdownPage(session)].join(''),
	json: [...renderJsonDocument(session)].join(''),
};

describe.each(Object.entries(pages))('a session restored as %s', (_, page) => {
	it('contains every text, call, result and image in order', () => {
		const texts = [
			'A title',
			'Fix the parser',
			'I should look',
			'Looking',
			'cat parser.ts',
			'export const parser = 1;',
			'The summary',
			'Left behind',
			'Done',
		];
		let from = 0;
		for (const text of texts) {
			const index = page.indexOf(text, from);
			expect(index, `"${text}" after ${from}`).toBeGreaterThanOrEqual(0);
			from = index;
		}
		expect(page).toContain(pixel);
	});
});

it('marks a compaction and what a rewind left behind in readable pages', () => {
	for (const page of [pages.html, pages.markdown.replaceAll('\\', '')]) {
		expect(page).toContain('Codex compacted the conversation here automatically, from 120,000 tokens.');
		expect(page).toContain('The next message was removed when the conversation was rewound to here.');
		expect(page).toContain('The conversation continues here.');
	}
});

it('writes JSON with the neutral messages', () => {
	const document = JSON.parse(pages.json);
	expect(document).toMatchObject({
		agent: 'codex',
		title: 'A title',
		messages: 6,
		compactions: 1,
		abandoned: 1,
	});
	expect(document.entries).toHaveLength(7);
	expect(document.entries[2].message).toMatchObject({ role: 'tool', content: 'export const parser = 1;' });
	expect(document.entries[4].compaction).toMatchObject({ trigger: 'auto', replacement: [summary] });
	expect(document.entries[5]).toMatchObject({ abandoned: true });
});

it('shows no image whose data or type is not that of an image', () => {
	const page = [
		...renderHtmlPage(
			sessionOf([
				message({
					role: 'user',
					content: [
						{ type: 'image', mediaType: 'text/html', data: pixel },
						{ type: 'image', mediaType: 'image/png', data: '"onerror="alert(1)' },
						{ type: 'image', mediaType: 'image/png', uri: 'https://example.com/a.png' },
					],
				}),
			]),
		),
	].join('');
	expect(page).not.toContain('<img');
	expect(page).toContain('https://example.com/a.png');
});

/** Texts that are full of markup. */
const markup = fc
	.array(
		fc.constantFrom(
			...[
				'<script>',
				'</details>',
				'<!--',
				'-->',
				'</style>',
				'"',
				"'",
				'&',
				'`',
				'```',
				'~~~',
				'\n',
				'\n\n',
				' ',
			],
			...[
				'    ',
				'- ',
				'> ',
				'|',
				'\\',
				'](',
				'<a href="',
				'text',
				'\0',
				'\u202e',
				'<?',
				'<img src=x onerror=x>',
			],
		),
		{ maxLength: 20 },
	)
	.map((parts) => parts.join(''));

it('adds no element to a page in HTML, whatever a message contains', () => {
	const tags = (text: string): string[] => {
		const events = [
			message({ role: 'user', content: text }),
			message({
				role: 'assistant',
				content: text,
				toolCalls: [{ id: text, name: text, args: { [text]: text } }],
			}),
			message({
				role: 'tool',
				toolCallId: text,
				toolName: text,
				content: text,
				metadata: { injected: true },
			}),
		];
		const page = [
			...renderHtmlPage(sessionOf([{ t: 'info', info: { title: text, cwd: text } }, ...events])),
		].join('');
		return page.match(/<[a-z!?/][^>\s]*/gi) ?? [];
	};
	const expected = new Set(tags('text'));
	fc.assert(
		fc.property(markup, (text) => {
			for (const tag of tags(text)) expect(expected.has(tag) || tag === '<pre' || tag === '</pre').toBe(true);
		}),
	);
});

it('quotes every line of a Markdown text, and lets no tag begin outside of code', () => {
	fc.assert(
		fc.property(markup, (text) => {
			const lines = quoteMarkdown(text).split('\n');
			expect(lines.every((line) => line.startsWith('>'))).toBe(true);
			if (!text.includes('`') && !text.includes('~')) expect(lines.join('\n')).not.toMatch(/<[a-z/!?]/i);
		}),
	);
});

describe('a Markdown text with code', () => {
	it.each([
		['code between backticks', 'Use `Map<string>`', '> Use `Map<string>`'],
		['a fence at the start of a line', '```\n<b>\n```\n<b>', '> ```\n> <b>\n> ```\n> &lt;b>'],
		['a fence that a list contains', '- ```\n  <b>', '> - ```\n>   &lt;b>'],
		['backticks after a backslash', '\\`<b>`', '> \\`&lt;b>`'],
		['backticks that began on another line', 'a `b\nc` <b> `d`', '> a `b\n> c` &lt;b> `d`'],
		['backticks in a table', '| ` | <b> ` |', '> | ` | &lt;b> ` |'],
		['backticks in the address of a link', '[a](`b)<b>`', '> [a](`b)&lt;b>`'],
	])('keeps or escapes a tag in %s', (_, text, expected) => {
		expect(quoteMarkdown(text)).toBe(expected);
	});

	it('gets a fence longer than any of its own', () => {
		expect(fenceText('````\ncode\n````')).toBe('`````\n````\ncode\n````\n`````');
	});
});
