import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { splitSession } from './cut.ts';
import { readEvalSet } from './evalSet.ts';
import { evaluate } from './evaluate.ts';
import { conversationText } from './messageText.ts';
import { isAnswered } from './questions.ts';
import { countFalse, type Total, talkTotal, totalsOf } from './report.ts';
import { scoreTalks } from './talks.ts';

const folder = await readEvalSet();

type Expected = Pick<Total, 'size' | 'answered' | 'grounded' | 'falseStatements'>;

/** Allowed difference of a share from the committed share: about five of 150 questions. */
const tolerance = 0.03;

describe('the eval set', () => {
	it('the eval set has a question for every fact in its own reference answer', () => {
		const wrong = folder.questions.filter((one) => !isAnswered(one, one.answer));
		expect(wrong.map(({ question, answer }) => ({ question, answer }))).toEqual([]);
	});

	it('the eval set asks only for facts in the history before the cut', () => {
		const histories = new Map(
			folder.sessions.map((session) => [session.name, conversationText(splitSession(session).before)]),
		);
		const wrong = folder.questions.filter((one) => !isAnswered(one, histories.get(one.session) ?? ''));
		expect(wrong.map(({ session, question }) => ({ session, question }))).toEqual([]);
	});

	it('the eval set measures as committed in expected.json', async () => {
		const { views, questions, skipped } = await evaluate(folder);
		expect(skipped).toEqual([]);
		const expected: Expected[] = JSON.parse(readFileSync('test/eval/expected.json', 'utf8'));
		const totals = totalsOf(views, questions).filter(({ source }) => source === 'contextd');
		expect(totals.map(({ size }) => size)).toEqual(expected.map(({ size }) => size));
		for (const [index, { size, answered = 0, grounded, ...total }] of totals.entries()) {
			const wanted = expected[index];
			expect(countFalse(total), `${size}: false statements`).toBeLessThanOrEqual(countFalse(wanted ?? {}));
			const away = [answered - (wanted?.answered ?? 0), grounded - (wanted?.grounded ?? 0)].map(Math.abs);
			expect(Math.max(...away), `${size}: ${answered} answered, ${grounded} grounded`).toBeLessThan(
				tolerance,
			);
		}
	});
});

it('a compaction keeps facts that users stated among small talk, and none that they replaced', async () => {
	const talks = await scoreTalks();
	expect(talkTotal(talks, '1/5').kept).toBeGreaterThanOrEqual(0.8);
	expect(talkTotal(talks, '3/10').kept).toBeGreaterThanOrEqual(0.97);
	expect(talks.flatMap(({ outdated }) => outdated)).toEqual([]);
	expect(Math.max(...talks.map(({ share }) => share))).toBeLessThan(0.36);
});
