import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns a session with these texts of the user, each with an answer after it. */
function said(...texts: string[]): Source[] {
	return texts.flatMap((text, index) => [user(2 * index, text), assistant(2 * index + 1, 'All right.')]);
}

describe('statements that the user replaced later', () => {
	it.each([
		['a figure', 'The budget is 300 dollars.', 'Change of plan: the budget is 450 dollars.'],
		['a figure without a word of change', 'Budget cap is $312 total.', 'Budget cap is $815 total.'],
		['a date', 'We hand in on 30 June.', 'The new date for handing in is 15 August.'],
		[
			'words that begin like months',
			'The market decides on 300 stalls.',
			'The market decides on 450 stalls now.',
		],
		['a name', 'The reviewer is Anna Holt.', 'Bo Lind is the reviewer instead of Anna.'],
		[
			'a figure in German',
			'Das Dach kostet höchstens 84.000 Euro.',
			'Das Dach darf jetzt 91.500 Euro kosten.',
		],
	])('a statement that the user replaced is left out of the summary: %s', (_, earlier, later) => {
		const text = summaryOf(said('Plan the move with me.', earlier, 'What comes first?', later));
		expect(text).toContain(later);
		expect(text).not.toContain(earlier);
	});

	it.each([
		['another subject', 'Set the port to 3000 in dev.json.', 'Set the port to 4000 in prod.json instead.'],
		['another kind of value', 'The review takes 30 minutes.', 'The review was moved to May.'],
		[
			'a rule in the same message',
			'Never push to main without asking. Use port 8080 for the server.',
			'Use port 9090 for the server instead.',
		],
		[
			'another wish in the same message',
			'The limit of the trip is 400 euros. I cannot walk many stairs.',
			'The limit of the trip is 500 euros now.',
		],
		[
			'a question',
			'Which pier has the Ferry Agent of 300 dollars?',
			'I see Pier Agent costs 450 dollars now.',
		],
		['no common word', 'The budget is 300 dollars.', 'Lunch costs 12 dollars now.'],
		[
			'the same value',
			'The budget is 300 dollars.',
			'As I said, the budget is 300 dollars now and not a cent more.',
		],
	])('a statement is kept next to one with %s', (_, earlier, later) => {
		const text = summaryOf(said('Plan the move with me.', earlier, later));
		expect(text).toContain(earlier);
		expect(text).toContain(later);
	});
});

describe('conversations in which the user talks most', () => {
	const statements = [
		'Never print card numbers in a log line.',
		'Production runs on MariaDB 11 in Bodø.',
		'I prefer one recommendation over five options.',
		'Checks FARE-12 and SEAT-07 are red, begin with SEAT-07.',
	];
	const asides = [
		'The seagulls are loud.',
		'My tea went cold.',
		'Nice, I like that.',
		'We had fish for lunch.',
	];

	it('a small summary keeps statements and drops small talk', () => {
		const text = summaryOf(said(...statements, ...asides, ...asides.map((one) => `${one} Again.`)), 72);
		for (const statement of statements) expect(text).toContain(statement);
		expect(text).not.toContain('seagulls');
	});

	it('a summary shows a repeated message once', () => {
		const text = summaryOf(said(...statements, 'Go on.', 'Go on.', 'Go on.'));
		expect(text.match(/Go on\./g)).toHaveLength(1);
	});
});
