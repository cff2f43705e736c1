/** A compacted conversation contains the same facts on the wire as in contextd's own view. */

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { corpusFolder } from '../../support/corpusTexts.ts';
import { needsCorpus } from '../../support/needs.ts';
import { type Begin, insideClaudeCode } from './inside.ts';
import { viewOf } from './journal.ts';
import { blocksOf, mainOf, problemsOf, resultText } from './wire.ts';

/** A question about a session. A text answers it if all patterns match close together, and no pattern of `not` matches there. */
interface Question {
	session: string;
	all: string[];
	not?: string[];
	near?: number;
}

/** The recorded sessions whose questions are asked if no folder is named. */
const someRecorded = ['entire-81b8c2be9359', 'tielec-i119-04-exec-a1f5a8', 'agentv-715caf95b418'];
/** Maximum milliseconds for one of the sessions. */
const maxSessionMs = 80_000;

/** Returns the questions by recorded session: of all sessions if a folder is named, else of `someRecorded`. */
function questionsOf(folder: string): Map<string, Question[]> {
	const lines = readFileSync(resolve(folder, '../questions.jsonl'), 'utf8').trim().split('\n');
	const questions: Question[] = lines.map((line) => JSON.parse(line));
	const names = process.env.CONTEXTD_CORPUS
		? new Set(questions.map(({ session }) => session))
		: new Set(someRecorded);
	const bySession = new Map([...names].map((name): [string, Question[]] => [name, []]));
	for (const one of questions) bySession.get(one.session)?.push(one);
	return bySession;
}

function isAnswered({ all: [first = '', ...rest], not = [], near = 400 }: Question, text: string): boolean {
	for (const hit of text.matchAll(new RegExp(first, 'gis'))) {
		const from = Math.max(0, hit.index - near);
		const window = text.slice(from, hit.index + hit[0].length + near);
		const hits = [first, ...rest].map((pattern) => new RegExp(pattern, 'is').exec(window));
		const ends = hits.flatMap((one) => (one ? [one.index, one.index + one[0].length] : []));
		const span = window.slice(Math.min(...ends), Math.max(...ends));
		if (hits.every(Boolean) && !not.some((pattern) => new RegExp(pattern, 'is').test(span))) return true;
	}
	return false;
}

function wordsOf({ content, toolCalls = [] }: ChatMessage): string {
	const texts =
		typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : ''));
	return [...texts, ...toolCalls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)].join('\n');
}

/** Compacts a history with `/compact`. Returns the messages of the next request and contextd's view, both as text. */
async function compacted(
	begin: Begin,
	file: string,
): Promise<{ wire: string; own: string; isSmaller: boolean }> {
	const session = await begin();
	const printed = session.contextd('export', file, '-f', 'claude-code', '--place', '--target', '10000000');
	session.continueSession(/claude --resume (\S+)/.exec(printed)?.[1] ?? '');
	const claude = await session.start({ args: ['--model', 'claude-sonnet-4-5[1m]'] });
	session.mock.script([{ text: 'Yes.' }, { text: 'Good.' }]);
	await claude.say('Shall we go on?');
	const { text } = await claude.say('/compact');
	expect(text).toMatch(/^Not compacted · (Context reduced|Nothing was compacted)/);
	const [request] = mainOf((await claude.say('And now?')).exchanges);
	await claude.end();
	const own = (await viewOf(session)).map(wordsOf).join('\n');
	if (request === undefined) throw new Error('no request');
	expect(problemsOf(request)).toEqual([]);
	const blocks = blocksOf(request).map((block) => {
		if (block.type === 'tool_result') return resultText(block);
		return block.type === 'tool_use'
			? `${block.name} ${JSON.stringify(block.input)}`
			: String(block.text ?? '');
	});
	await session.end();
	return {
		wire: blocks.join('\n'),
		own,
		isSmaller: text.includes('Context reduced from'),
	};
}

const answered = (questions: readonly Question[], text: string) =>
	questions.filter((one) => isAnswered(one, text)).length;

await insideClaudeCode((begin) => {
	const recorded = corpusFolder === undefined ? new Map() : questionsOf(corpusFolder);
	it('the compacted request answers as many questions as contextd’s own view for the recorded sessions, within 2 %', {
		timeout: maxSessionMs * Math.max(1, recorded.size),
		skip: recorded.size === 0,
		...needsCorpus,
	}, async () => {
		const sums = { questions: 0, wire: 0, own: 0, smaller: 0 };
		for (const [name, questions] of recorded) {
			const { wire, own, isSmaller } = await compacted(begin, join(corpusFolder ?? '', `${name}.jsonl`));
			sums.smaller += isSmaller ? 1 : 0;
			sums.questions += questions.length;
			sums.wire += answered(questions, wire);
			sums.own += answered(questions, own);
		}
		expect(sums.smaller).toBeGreaterThan(recorded.size / 2);
		expect(sums.own).toBeGreaterThan(sums.questions / 2);
		expect(Math.abs(sums.wire - sums.own) / sums.questions).toBeLessThanOrEqual(0.02);
	});

	it('the compacted request answers as many questions as contextd’s own view for a made-up session, within 2 %', {
		timeout: 120_000,
	}, async () => {
		const session = 'own';
		const steps = Array.from({ length: 40 }, (_, no): ChatMessage[] => [
			{
				role: 'assistant',
				content: `Service ${no} listens on port ${4000 + 7 * no}, because its neighbour took the one below.`,
				toolCalls: [{ id: `c${no}`, name: 'Bash', args: { command: `service ${no} --log` } }],
			},
			{
				role: 'tool',
				toolCallId: `c${no}`,
				content: Array.from({ length: 60 }, (__, at) => `${no}.${at} a request was served in ${at % 7} ms`)
					.concat(`Error: service ${no} lost its lease after ${no + 3} hours`)
					.join('\n'),
			},
		]);
		const messages: ChatMessage[] = [
			{ role: 'user', content: 'Look at all services. Never restart the one called billing.' },
			...steps.flat(),
			{ role: 'assistant', content: 'All services were looked at.' },
		];
		const questions = [
			{ session, all: ['Never restart', 'billing'] },
			...steps.flatMap((_, no) => [
				{ session, all: [`Service ${no} listens`, `port ${4000 + 7 * no}`] },
				{ session, all: [`service ${no} lost`, `${no + 3} hours`] },
			]),
		];
		const home = await begin({ isPlain: true });
		const file = join(home.home, 'own.jsonl');
		await writeFile(file, messages.map((message) => JSON.stringify(message)).join('\n'));
		const { wire, own, isSmaller } = await compacted(begin, file);
		expect(isSmaller).toBe(true);
		expect(answered(questions, own)).toBeGreaterThan(questions.length / 2);
		const difference = answered(questions, wire) - answered(questions, own);
		expect(Math.abs(difference) / questions.length).toBeLessThanOrEqual(0.02);
	});
});
