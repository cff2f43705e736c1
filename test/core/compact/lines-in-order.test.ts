import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

it('the lines of a result are shown in the order of the result, whatever made them worth showing', () => {
	const word = fc.constantFrom('loads', 'keeps', 'drops', 'orders', 'counts', 'closes');
	const line = fc.tuple(word, word, fc.boolean());
	const results = fc.array(line, { minLength: 12, maxLength: 60 });
	fc.assert(
		fc.property(results, fc.integer({ min: 200, max: 1500 }), (rows, budget) => {
			const lines = rows.map(([left, right, isNamed], index) =>
				isNamed
					? `${left}Rows${index} ${right} every row of table_${index} in src/${left}/part${index}.ts`
					: `it ${left} what it ${right}, part ${index}`,
			);
			const run = call('Bash', { command: './report' });
			const text = summaryOf(
				[
					user(1, 'Report.'),
					assistant(2, '', run),
					result(3, run, lines.join('\n')),
					assistant(4, `I use ${lines[7]}.`),
				],
				budget,
			);
			const shown = text
				.split('\n')
				.map((one) =>
					one
						.replace(/^\[#3 Bash\]/, '')
						.replace(/ …$/, '')
						.trim(),
				)
				.flatMap((one) => (lines.includes(one) ? [lines.indexOf(one)] : []));
			expect(shown).toEqual([...shown].sort((a, b) => a - b));
		}),
	);
});
