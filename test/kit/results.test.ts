import { describe, expect, it } from 'vitest';
import { anthropicDialect as dialect } from '../../kit/dialects/anthropic.ts';
import { computeChainIds } from '../../kit/fingerprint.ts';
import { applyView, createEmptyView } from '../../kit/heldView.ts';
import { decideResults } from '../../kit/results.ts';
import { estimateTokens } from '../../server/core/measure/text/textCounter.ts';
import { answered, called, type Native, said } from './conversations.ts';

const line = (no: number) => `${no}: ${'the build wrote another line of its log '.repeat(2)}`;
const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');

/** Returns the texts that the model gets for the results of a list. */
function shown(raw: Native[], tokens = 1000) {
	const ids = computeChainIds(dialect, raw);
	const held = decideResults(createEmptyView<Native>(), { hostMessages: raw, ids }, dialect, { tokens });
	const { messages } = applyView(held, raw, dialect, ids);
	return messages.flatMap((message) => dialect.listResults(message)).map(({ text }) => text);
}

const one = (name: string, input: object, output: string, isError = false) => [
	said('user', 'go'),
	called('c1', name, input),
	answered('c1', output, isError),
];

describe('results on their way to the model', () => {
	it('a long result keeps both ends and failure lines, and says how to get the rest', () => {
		const output = `${lines(100)}\nerror: the disk is full\n${lines(100)}`;
		const [text = ''] = shown(one('Bash', { command: 'make' }, output));
		expect(estimateTokens(output)).toBeGreaterThan(1000);
		expect(estimateTokens(text)).toBeLessThanOrEqual(1000);
		expect(text).toContain(line(1));
		expect(text).toContain(line(100));
		expect(text).toContain('error: the disk is full');
		expect(text).toMatch(/\[201 lines in all; contextd_recall with "c1" gives the whole output\]$/);
	});

	it('a result within the limit stays whole', () => {
		expect(shown(one('Bash', { command: 'ls' }, lines(5)))).toEqual([lines(5)]);
		expect(shown(one('Bash', { command: 'make' }, lines(400)), 0)).toEqual([lines(400)]);
	});

	it('a failed result below 8,000 tokens stays whole', () => {
		const failed = lines(100);
		expect(estimateTokens(failed)).toBeGreaterThan(1000);
		expect(shown(one('Bash', { command: 'make' }, failed, true))).toEqual([failed]);
		const huge = lines(900);
		expect(estimateTokens(huge)).toBeGreaterThan(8000);
		expect(shown(one('Bash', { command: 'make' }, huge, true))).not.toEqual([huge]);
	});

	it('a read of named lines stays whole', () => {
		const input = { file_path: '/a.ts', offset: 10, limit: 300 };
		expect(shown(one('Read', input, lines(300)))).toEqual([lines(300)]);
		expect(shown(one('Read', { file_path: '/a.ts' }, lines(300)))).not.toEqual([lines(300)]);
	});

	it('a second read of a file stays whole after the first was shortened', () => {
		const raw = [
			...one('Read', { file_path: '/a.ts' }, lines(300)),
			called('c2', 'Read', { file_path: '/a.ts' }),
			answered('c2', lines(300)),
		];
		const [first, second] = shown(raw);
		expect(first).not.toBe(lines(300));
		expect(second).toBe(lines(300));
	});

	it('a result of contextd stays whole', () => {
		expect(shown(one('mcp__contextd__contextd_recall', { words: 'a' }, lines(300)))).toEqual([lines(300)]);
	});

	it('a result that was sent whole stays whole, whatever the limit is later', () => {
		const raw = one('Bash', { command: 'make' }, lines(300));
		const ids = computeChainIds(dialect, raw);
		const list = { hostMessages: raw, ids };
		const whole = decideResults(createEmptyView<Native>(), list, dialect, { tokens: 0 });
		expect(decideResults({ ...whole, known: [] }, list, dialect, { tokens: 1000 })).toEqual({
			...whole,
			known: [],
		});
	});
});
