import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareHistories } from '../../client-vscode/src/text/comparison.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';

const said = (id: string | undefined, content: string): ChatMessage => ({ id, role: 'user', content });
const divider = /^═══ (\d+) messages on the left above this line/;

/** Returns the parts of two texts that differ, as an editor compares them. */
function gaps(before: string, after: string): { left: string[]; right: string[] } {
	const [left, right] = [before.split('\n'), after.split('\n')];
	const cut = (lines: string[]) => lines.findIndex((line) => divider.test(line));
	return { left: left.slice(0, cut(left)), right: right.slice(cut(right) + 1) };
}

describe('comparing two histories', () => {
	const before = [said('m1', 'Why does it fail?'), said('m2', 'a\nb\nc\nd\ne'), said('m3', 'Go on.')];

	it('a comparison shows unchanged messages on both sides', () => {
		const { before: left, after: right } = compareHistories(before, before);
		expect(left).toBe(right);
		expect(left).toContain('─── user ─── m1\nWhy does it fail?\n');
	});

	it('a comparison shows two lines of a removed message, and counts the others', () => {
		const { before: left, after: right } = compareHistories(before, [
			before[0] as ChatMessage,
			before[2] as ChatMessage,
		]);
		expect(left).toContain(
			'─── user ─── m2\n┆ a\n┆ b\n┆ … 3 more lines: open the message to read them\n─── user ─── m3',
		);
		expect(right).not.toContain('m2');
	});

	it('a comparison shows removed messages above a shared line, and their replacement below it', () => {
		const summary = said(undefined, 'It failed.\n\nThen it did not.');
		const compared = compareHistories(before, [summary, before[2] as ChatMessage]);
		const { left, right } = gaps(compared.before, compared.after);
		expect(left.join('\n')).toContain('─── user ─── m1');
		expect(right.join('\n')).toContain('It failed.\n\nThen it did not.');
		expect(compared.before).toContain('═══ 2 messages on the left');
		expect(compared.firstChangedLine).toBe(0);
	});

	it('a comparison shows a shortened message in its place on both sides', () => {
		const after = [before[0] as ChatMessage, said('m2', '[cleared]'), before[2] as ChatMessage];
		const compared = compareHistories(before, after);
		expect(compared.before).toContain('─── user ─── m2\na\nb');
		expect(compared.after).toContain('─── user ─── m2\n[cleared]');
		expect(compared.after.split('\n')[compared.firstChangedLine]).toBe('─── user ─── m2');
	});

	it('removed and new messages share no line in a comparison', () => {
		const text = fc.array(fc.constantFrom('', 'a', 'b', '}', '─── user ─── x', 'word word'), {
			maxLength: 12,
		});
		fc.assert(
			fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), text, (gone, made) => {
				const old = gone.map((lines, index) => said(`m${index}`, lines.join('\n')));
				const { before: left, after: right } = compareHistories(old, [said(undefined, made.join('\n'))]);
				const { left: lines, right: others } = gaps(left, right);
				const there = new Set(others);
				expect(lines.filter((line) => there.has(line))).toEqual([]);
			}),
		);
	});

	it('a comparison of a large history stays small', () => {
		const many = Array.from({ length: 600 }, (_, index) =>
			said(`m${index}`, 'word '.repeat(400).concat('\nline'.repeat(40))),
		);
		const { before: left } = compareHistories(many, [said(undefined, 'Done.')]);
		expect(left.length).toBeLessThan(250_000);
		expect(left.split('\n').length).toBeLessThan(2600);
	});
});
