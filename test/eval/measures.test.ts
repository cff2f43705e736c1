import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baselines } from './baselines.ts';
import { readEvalFolder } from './evalFolder.ts';
import { conversationText } from './messageText.ts';
import { neededFacts, scoreFacts } from './neededFacts.ts';
import { isAnswered } from './questions.ts';

describe('a question', () => {
	const question = { all: [/pump/giu, /4 bar/giu], any: [/night/giu, /evening/giu] };

	it('a question is answered if all of its patterns and one of `any` match close to each other', () => {
		expect(isAnswered(question, 'The pump runs at 4 bar in the evening.')).toBe(true);
		expect(isAnswered(question, 'The pump runs at 4 bar.')).toBe(false);
		expect(isAnswered(question, `The pump.${' '.repeat(900)}4 bar in the evening`)).toBe(false);
	});
});

describe('a needed fact', () => {
	it('a fact is needed if it was known before the cut, and an answer is the first to mention it again', () => {
		const before = [
			{ role: 'user' as const, content: 'src/pump.ts has readLimit and startPump, 4711 calls' },
		];
		const after = [
			{ role: 'assistant' as const, content: 'In src/pump.ts and src/new.ts' },
			{ role: 'tool' as const, content: 'startPump' },
			{ role: 'assistant' as const, content: 'startPump has 4711 calls' },
		];
		expect(neededFacts(before, after)).toEqual(['src/pump.ts', '4711']);
	});

	it('a needed fact is grounded only next to words of its old context', () => {
		const history = 'The pressure sensor calls readLimit when the valve opens.';
		const bare = 'readLimit, startPump, stopPump';
		expect(scoreFacts(['readLimit'], history, history)).toEqual({ needed: 1, kept: 1, grounded: 1 });
		expect(scoreFacts(['readLimit'], bare, history)).toEqual({ needed: 1, kept: 1, grounded: 0 });
		expect(scoreFacts(['readLimit'], 'readLimits', history)).toEqual({ needed: 1, kept: 0, grounded: 0 });
	});
});

describe('the baselines', () => {
	const history = Array.from({ length: 40 }, (_, index) => ({
		role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
		content: `${index} ${'word '.repeat(index)}`,
	}));

	it.each(Object.entries(baselines))(
		'the baseline %s leaves at most its permitted characters',
		(_, baseline) => {
			for (const characters of [300, 500, 2000]) {
				const left = conversationText(baseline(history, characters));
				expect(left.length).toBeLessThanOrEqual(characters);
				expect(left.length).toBeGreaterThan(0);
			}
		},
	);
});

describe('a folder of sessions', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'eval-'));
		writeFileSync(join(folder, 'pump.json'), JSON.stringify([{ role: 'user', content: 'Hello' }]));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it('a folder of sessions lists files that are not transcripts with the reason', async () => {
		writeFileSync(join(folder, 'package.json'), '{"name":"pump"}');
		const { sessions, skipped } = await readEvalFolder(folder);
		expect(sessions.map(({ name }) => name)).toEqual(['pump']);
		expect(skipped.map(({ file }) => file)).toEqual(['package.json']);
	});

	it('a folder of sessions names the line of an invalid question', async () => {
		const question = { session: 'pump', category: 'rule', question: 'Q?', answer: 'A' };
		writeFileSync(join(folder, 'questions.jsonl'), JSON.stringify({ ...question, all: ['('] }));
		await expect(readEvalFolder(folder)).rejects.toThrow(/questions\.jsonl:1: .*regular expression/s);
		writeFileSync(join(folder, 'questions.jsonl'), JSON.stringify({ ...question, session: 'x', all: ['a'] }));
		await expect(readEvalFolder(folder)).rejects.toThrow('expected the name of a session, got "x"');
	});
});
