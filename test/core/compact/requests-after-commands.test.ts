import { describe, expect, it } from 'vitest';
import { isRequest } from '../../../server/core/analysis/text/statements.ts';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('a message that begins with slash commands', () => {
	it.each([
		'/clear\n\nwhy are all sums zero',
		'/home/ana/ferry can you review the plan',
		'/clear  \n\n/ask why are the sums zero  \n\nwhy are the sums zero',
	])('is a request if words follow: %j', (text) => expect(isRequest(text)).toBe(true));

	it.each(['/clear', '/undo\n', '/clear\n/undo', '/clear\n\nok'])('is no request otherwise: %j', (text) =>
		expect(isRequest(text)).toBe(false),
	);

	it('is the current request of a summary', () => {
		const text = summaryOf(
			[
				user(1, 'Draw the sums of all rows as bars.'),
				assistant(2, 'They are drawn.'),
				user(3, '/clear\n\nwhy are all the sums of the last row zero'),
				assistant(4, 'I look at the last row.'),
			],
			4000,
		);
		expect(text).toMatch(/^Current request \(#3\): .*why are all the sums/m);
	});
});
