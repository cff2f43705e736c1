import { describe, expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const read = call('Read', { file_path: '/shop/src/rows.ts' });
const claim =
	'The rows of the northern pier are lost because the importer closes its stream of harbour rows too early, before the writer has taken the last ones.';

/** Returns a summary of a session in which the agent thinks, and then says something. */
function summaryOfThought(thought: string, said = ''): string {
	const source = { ...assistant(2, `${thought}\n${said}`, read), thoughtLength: thought.length + 1 };
	const filler = Array.from({ length: 8 }, (_, index) => assistant(20 + index, `Step ${index} is done.`));
	return summaryOf([user(1, 'Find the lost rows.'), source, ...done(2, [read]).slice(1), ...filler]);
}

describe('a thought that the next sentence takes back', () => {
	it.each([
		'Actually, the stream of harbour rows stays open, so that the filter for closed piers must be what drops the rows without a harbour.',
		'Oh wait, the stream of harbour rows stays open, so that the filter for closed piers must be what drops the rows without a harbour.',
	])('is left out: %s', (correction) => {
		const text = summaryOfThought(`${claim} ${correction}`);
		expect(text).not.toContain('closes its stream');
		expect(text).toContain('the filter for closed piers must be what drops');
	});

	it('stays if the next sentence only guesses', () => {
		expect(summaryOfThought(`${claim} Wait, the stream may stay open after all.`)).toContain(
			'closes its stream',
		);
	});

	it('stays if the next sentence only limits it', () => {
		expect(summaryOfThought(`${claim} But it also drops rows without a harbour.`)).toContain(claim);
	});

	it('stays if the agent said it to the user', () => {
		const said = `${claim} Actually, the stream stays open.`;
		expect(summaryOfThought('I look at the importer.', said)).toContain(claim);
	});
});
