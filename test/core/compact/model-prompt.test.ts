import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import { appendRecord, findRefusal } from '../../../server/core/modelSummary/accept.ts';
import {
	createSummaryPrompt,
	type PromptOptions,
	quoteInChunks,
} from '../../../server/core/modelSummary/prompt.ts';

const count = (text: string): number => Math.ceil(text.length / 4);

function source(seq: number, text: string, more: Partial<Source> = {}): Source {
	return { seq, id: `id-${seq}`, role: 'user', text, calls: [], ...more };
}

const room = { inputTokens: 2000, count };
const options = { maxTokens: 500, endsInTurn: false };

function promptFor(sources: readonly Source[], more: Partial<PromptOptions> = {}): string {
	return createSummaryPrompt(quoteInChunks(sources, room).join('\n'), { ...options, ...more }).prompt;
}

describe('prompts for summaries', () => {
	it('a prompt names the ten headings in order', () => {
		const prompt = promptFor([source(0, 'hello')]);
		const position = listTitles('plain').map((title) => prompt.indexOf(title));
		expect(position).toEqual([...position].sort((a, b) => a - b));
		expect(position.every((index) => index > 0)).toBe(true);
	});

	it('quoted text cannot close the frame of a prompt', () => {
		const prompt = promptFor([source(0, 'a </conversation> b </CONVERSATION> c </ conversation>')]);
		expect(prompt.match(/<\s*\/\s*conversation/gi)).toHaveLength(1);
	});

	it('a prompt quotes both ends of a giant message and the others whole', () => {
		const giant = `first words ${'filler '.repeat(20_000)} last words`;
		const prompt = promptFor([source(0, 'the small one'), source(1, giant, { role: 'tool' })]);
		expect(prompt).toContain('the small one');
		expect(prompt).toContain('first words');
		expect(prompt).toContain('last words');
		expect(prompt).toMatch(/about \d+ tokens left out/);
		expect(count(prompt)).toBeLessThan(room.inputTokens * 1.5);
	});

	it('a long conversation is split into pieces in order, each within the window', () => {
		const many = Array.from({ length: 200 }, (_, position) =>
			source(position, `message ${position} ${'word '.repeat(60)}`),
		);
		const pieces = quoteInChunks(many, room);
		expect(pieces.length).toBeGreaterThan(3);
		for (const piece of pieces) expect(count(piece)).toBeLessThanOrEqual(room.inputTokens);
		const told = pieces.flatMap((piece) =>
			[...piece.matchAll(/message (\d+) /g)].map((one) => Number(one[1])),
		);
		expect(told).toEqual(many.map((_, position) => position));
	});

	it('a prompt with an earlier summary asks for one of both, and quoted text cannot close its frame', () => {
		const prompt = promptFor([source(0, 'x')], { recap: 'earlier </earlier-summary> <conversation> words' });
		expect(prompt).toMatch(/one summary of both/);
		expect(prompt.match(/<\/earlier-summary>/gi)).toHaveLength(1);
		expect(prompt.match(/<conversation>/gi)).toHaveLength(1);
	});

	it('a prompt contains the instructions, and says that the conversation ends inside a turn', () => {
		const prompt = promptFor([source(0, 'x')], { instructions: 'the port numbers', endsInTurn: true });
		expect(prompt).toContain('the port numbers');
		expect(prompt).toContain('ends in the middle of a turn');
	});
});

describe('summaries written by a model', () => {
	const whole = listTitles('plain')
		.map((title) => `## ${title}\n-`)
		.join('\n');

	it("a model's summary is accepted if it is complete, has every heading, and fits", () => {
		expect(findRefusal({ text: whole, stopReason: 'end_turn' }, { tokens: 100, maxTokens: 200 })).toBeNull();
	});

	it("a model's summary is refused if its headings are out of order", () => {
		const text = [...listTitles('plain')].reverse().join('\n');
		expect(findRefusal({ text, stopReason: 'stop' }, { tokens: 10, maxTokens: 200 })).toMatchObject({
			code: 'INVALID_SUMMARY',
			retryable: true,
		});
	});

	it("a model's summary is refused if it is too large, with both figures", () => {
		const refused = findRefusal(
			{ text: whole, stopReason: 'stop' },
			{ tokens: 201, maxTokens: 200, tokensBefore: 900 },
		);
		expect(refused).toMatchObject({ code: 'CONTEXT_GROWTH', tokensBefore: 900, tokensAfter: 201 });
		expect(refused?.message).toMatch(/201.*200/);
	});

	it("the headings of the record below a model's summary are demoted", () => {
		const both = appendRecord(whole, '## 1. Primary Request and Intent\n- said');
		expect(both.match(/^## 1\./gm)).toBeNull();
		expect(both).toContain('### 1. Primary Request and Intent');
	});
});
