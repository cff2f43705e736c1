import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const run = call('Bash', { command: './report' });
/** Sessions in which the third message has the lines. */
const sessions: Record<string, (lines: string) => Source[]> = {
	'a result': (lines) => [user(1, 'Report.'), assistant(2, '', run), result(3, run, lines)],
	'pasted output': (lines) => [user(1, 'Report.'), assistant(2, 'Done.'), user(3, `Why?\n${lines}`)],
};

it.each(Object.entries(sessions))('the lines of %s are shown in their order', (_, build) => {
	const word = fc.constantFrom('loads', 'keeps', 'drops', 'orders', 'counts', 'closes');
	const line = fc.tuple(word, word, fc.boolean());
	const results = fc.array(line, { minLength: 12, maxLength: 60 });
	fc.assert(
		fc.property(results, fc.integer({ min: 200, max: 1500 }), (rows, budget) => {
			const lines = rows.map(([left, right, isNamed], index) =>
				isNamed
					? `11:20:00 INFO ${left}Rows${index} ${right} every row of table_${index} in src/${left}/part${index}.ts`
					: `11:20:00 INFO it ${left} what it ${right}, part ${index}`,
			);
			const text = summaryOf([...build(lines.join('\n')), assistant(4, `I use ${lines[7]}.`)], budget);
			const shown = text
				.split('\n')
				.map((one) =>
					one
						.replace(/^\[#3 (?:Bash|user, pasted)\]/, '')
						.replace(/ …$/, '')
						.trim(),
				)
				.flatMap((one) => (lines.includes(one) ? [lines.indexOf(one)] : []));
			expect(shown).toEqual([...shown].sort((a, b) => a - b));
		}),
	);
});
