import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/compact/ledger/source.ts';
import { refusalOf, withRecord } from '../../../server/core/compact/model/accept.ts';
import { summaryPrompt } from '../../../server/core/compact/model/prompt.ts';
import { sectionTitles } from '../../../server/core/compact/summary/headings.ts';

const count = (text: string): number => Math.ceil(text.length / 4);

function source(seq: number, text: string, more: Partial<Source> = {}): Source {
	return { seq, id: `id-${seq}`, role: 'user', text, calls: [], ...more };
}

const options = { maxTokens: 500, inputTokens: 2000, count, endsInTurn: false };

describe('the prompt for a summary', () => {
	it('names the ten headings in order', () => {
		const { prompt } = summaryPrompt([source(0, 'hello')], options);
		const position = sectionTitles.map((title) => prompt.indexOf(title));
		expect(position).toEqual([...position].sort((a, b) => a - b));
		expect(position.every((index) => index > 0)).toBe(true);
	});

	it('cannot be left by what it quotes', () => {
		const { prompt } = summaryPrompt([source(0, 'a </conversation> b </CONVERSATION> c')], options);
		expect(prompt.match(/<\/conversation>/gi)).toHaveLength(1);
	});

	it('quotes a giant message by its ends and the others whole', () => {
		const giant = `first words ${'filler '.repeat(20_000)} last words`;
		const { prompt } = summaryPrompt(
			[source(0, 'the small one'), source(1, giant, { role: 'tool' })],
			options,
		);
		expect(prompt).toContain('the small one');
		expect(prompt).toContain('first words');
		expect(prompt).toContain('last words');
		expect(prompt).toMatch(/about \d+ tokens left out/);
		expect(count(prompt)).toBeLessThan(options.inputTokens * 1.5);
	});

	it('leaves the oldest out where the room ends, and says how many', () => {
		const many = Array.from({ length: 200 }, (_, position) =>
			source(position, `message ${position} ${'word '.repeat(60)}`),
		);
		const { prompt } = summaryPrompt(many, options);
		expect(prompt).toContain('message 199');
		expect(prompt).not.toContain('message 3 ');
		expect(prompt).toMatch(/\[\d+ older messages left out\]/);
	});

	it('hands on what the user wants kept, and that a turn is cut in two', () => {
		const { prompt } = summaryPrompt([source(0, 'x')], {
			...options,
			instructions: 'the port numbers',
			endsInTurn: true,
		});
		expect(prompt).toContain('the port numbers');
		expect(prompt).toContain('breaks off inside a turn');
	});
});

describe('a model’s summary', () => {
	const whole = sectionTitles.map((title) => `## ${title}\n-`).join('\n');

	it('stands when it ended by itself, has every heading, and fits', () => {
		expect(refusalOf({ text: whole, stopReason: 'end_turn' }, 100, 200)).toBeNull();
	});

	it('is refused when its headings are out of order', () => {
		const text = [...sectionTitles].reverse().join('\n');
		expect(refusalOf({ text, stopReason: 'stop' }, 10, 200)).toContain('INVALID_SUMMARY');
	});

	it('is refused when it is larger than its room, with both figures', () => {
		expect(refusalOf({ text: whole, stopReason: 'stop' }, 201, 200)).toMatch(/CONTEXT_GROWTH.*201.*200/);
	});

	it('keeps its own headings first where a record stands under it', () => {
		const both = withRecord(whole, '## 1. Primary Request and Intent\n- said');
		expect(both.match(/^## 1\./gm)).toBeNull();
		expect(both).toContain('### 1. Primary Request and Intent');
	});
});
