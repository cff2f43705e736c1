import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { PlacedCandidate } from '../../../server/core/analysis/passages/candidates.ts';
import { chooseCandidates } from '../../../server/core/compact/choice/choose.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

type Row = Record<string, unknown>;
type Format = (rows: readonly Row[]) => ChatMessage['content'];

const formats: [name: string, format: Format][] = [
	['a JSON list', (rows) => JSON.stringify(rows)],
	['JSON in an object', (rows) => JSON.stringify({ owner: 'maja', cards: rows })],
	['a content part of MCP', (rows) => [{ type: 'text', text: JSON.stringify(rows, null, 2) }]],
	['a JSON object a line', (rows) => rows.map((row) => JSON.stringify(row)).join('\n')],
];

const cards: Row[] = [101, 102, 103, 104].map((number) => ({
	card_id: `voucher_55${number}`,
	kind: 'voucher',
	balance: number - 60,
}));

/** Returns messages in which the agent looks up cards and talks about ferries. */
function lookUp(format: Format, talk: number): Source[] {
	const names = cards.map(({ card_id }) => card_id).join(', ');
	const made = call('list_cards', { owner: 'maja' });
	const row = { seq: 3, id: 'id-3', tool: made.name, answers: made.id };
	const content = format(cards);
	const answer = { id: row.id, role: 'tool', toolCallId: made.id, toolName: made.name, content } as const;
	return [
		user(1, 'Book a ferry for me.'),
		assistant(2, '', made),
		createSource(row, answer),
		assistant(4, `You have ${names}.`),
		user(5, `Are ${names} valid?`),
		assistant(6, `Yes, ${names} are valid.`),
		...Array.from({ length: talk }, (_, index) =>
			assistant(
				7 + index,
				`The ferry number ${index} costs ${30 + index} EUR because it leaves at ${index % 12}:45.`,
			),
		),
	];
}

/** Returns the cards of the smallest summary that shows any. */
function firstShownIn(sources: readonly Source[], visible: readonly Source[]): unknown[] {
	for (let budget = 40; budget < 600; budget += 5) {
		const text = sectionIn(summaryOf(sources, budget, { visible }), 'records');
		const shown = cards.map(({ card_id }) => card_id).filter((id) => text.includes(`${id}: `));
		if (shown.length > 0) return shown;
	}
	return [];
}

describe.each(formats)('records that the current request is about, in %s', (_, format) => {
	it.each([
		['a visible call', 'Pay with the smallest one.', call('pay', { card: 'voucher_55102', amount: 20 })],
		['the user', 'Pay with voucher_55102.', undefined],
	])('a record that is named only by %s is shown before talk and other records', (_name, request, paying) => {
		const sources = lookUp(format, 40);
		const visible = [user(90, request), assistant(91, 'I do.', ...(paying ? [paying] : []))];
		expect(firstShownIn(sources, visible)).toEqual(['voucher_55102']);
	});
});

describe('a record whose id has marks', () => {
	/** Returns whether a summary shows the loan that the librarian was asked for rather than the others. */
	function showsAskedLoan(ids: readonly string[], loanId: string, request: string): boolean {
		const loans = ids.map((loan_id, index) => ({
			loan_id,
			title: `Tides of the north, volume ${index}`,
			shelf: `reading room ${index}`,
			due: `2027-03-1${index}`,
			fee: 4 + index,
		}));
		const steps = loans.flatMap((loan, index) => {
			const made = call('get_loan', { loan: loan.loan_id });
			const seq = 3 + 2 * index;
			return [assistant(seq - 1, '', made), readResult(seq, made, JSON.stringify(loan))];
		});
		const sources = [user(1, 'I want to extend a loan.'), ...steps];
		const visible = [assistant(90, 'Which of the loans?'), user(91, request)];
		const records = sectionIn(summaryOf(sources, 90, { visible }), 'records');
		return (
			records.includes(`${loanId}: `) && ids.every((id) => id === loanId || !records.includes(`${id}: `))
		);
	}

	it.each([
		['a hash', ['#L4401', '#L4402', '#L4403', '#L4404'], '#L4402', 'Please extend #L4402.'],
		['a hash that the user left out', ['#L4401', '#L4402', '#L4403'], '#L4402', 'Please extend L4402.'],
		['brackets', ['[L4401]', '[L4402]', '[L4403]'], '[L4402]', 'Please extend L4402.'],
		['slashes', ['LIB/27/4401', 'LIB/27/4402', 'LIB/27/4403'], 'LIB/27/4402', 'Please extend LIB/27/4402.'],
	])('is shown if the current request names it: %s', (_, ids, loanId, request) => {
		expect(showsAskedLoan(ids, loanId, request)).toBe(true);
	});
});

it('records take at most about three quarters of the narrative if the request names many', () => {
	const many = Array.from({ length: 60 }, (_, index) => ({
		card_id: `voucher_9${index + 100}`,
		owner: `guest ${index}`,
		balance: index,
	}));
	const made = call('list_cards', { owner: 'all' });
	const row = { seq: 3, id: 'id-3', tool: made.name, answers: made.id };
	const sources: Source[] = [
		user(1, 'Book a ferry for me.'),
		assistant(2, '', made),
		createSource(row, {
			id: 'id-3',
			role: 'tool',
			toolCallId: made.id,
			toolName: made.name,
			content: JSON.stringify(many),
		}),
		...Array.from({ length: 60 }, (_, index) =>
			assistant(
				4 + index,
				`Harbour ${index} is closed because of storm number ${index + 7}, so I cannot use it.`,
			),
		),
		user(90, `Cancel all of ${many.map(({ card_id }) => card_id).join(', ')}.`),
		assistant(91, 'Which of them first?'),
	];
	const text = summaryOf(sources.slice(0, -2), 700, { visible: sources.slice(-2) });
	expect(text.match(/Harbour \d+ is closed/g)?.length ?? 0).toBeGreaterThan(2);
	expect(text.match(/voucher_9\d+/g)?.length ?? 0).toBeGreaterThan(4);
});

describe('records with several lines', () => {
	const texts = ['KQ7-41', 'KQ7-42', 'KQ7-43'].flatMap((id) => [
		`${id}: cabin outer, beds 2, paid 310 EUR, card 4410, from Kiel`,
		`${id}: meals 2`,
	]);

	/** Returns the ids of the chosen lines, the most valuable ones first, if the records at some indexes are needed. */
	function choose(neededIndexes: readonly number[]): (string | undefined)[] {
		const candidates = texts.map((text, index): PlacedCandidate => {
			const row = Math.floor(index / 2);
			const words = [2 * row, 2 * row + 1, 10 + index];
			const weight = index % 2 === 0 ? 2.4 : 1;
			const length = text.length;
			return {
				candidate: {
					kind: 'statement',
					text,
					words,
					length,
					weight,
					score: 1,
					isOnNewLine: true,
					isRow: true,
				},
				messageIndex: row,
				order: index % 2,
				weight,
				...(neededIndexes.includes(row) && { neededRow: text.slice(0, 6) }),
			};
		});
		const { chosen } = runToEnd(
			chooseCandidates({
				candidates,
				knownWords: new Set(),
				wishedWords: new Set(),
				messageCount: 3,
				budgetTokens: 270,
				count: (text) => text.length,
				memberLines: new Map(),
			}),
		);
		return chosen.map(({ candidate: { text } }) => text.split(', ', 1)[0]);
	}

	it('shows a line of each needed record before a second line of any', () => {
		const ids = choose([0, 1, 2]).slice(0, 3);
		expect(ids.toSorted()).toEqual(['KQ7-41: cabin outer', 'KQ7-42: cabin outer', 'KQ7-43: cabin outer']);
	});

	it('shows a needed record before others', () => {
		expect(choose([1])[0]).toBe('KQ7-42: cabin outer');
	});
});
