import { expect, it } from 'vitest';
import { assistant, call, type user as makeUser, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns turns of work, each with an intermediate sentence and a final report of equal content. */
function turns(count: number): ReturnType<typeof makeUser>[] {
	return Array.from({ length: count }, (_, index) => {
		const seq = index * 4 + 1;
		const look = call('Read', { file_path: `src/part${index}.ts` });
		return [
			user(seq, `Look at part ${index}, please.`),
			assistant(
				seq + 1,
				`The parser of part${index} keeps alpha${index} beside omega${index} in store${index}.`,
				look,
			),
			result(seq + 2, look, ''),
			assistant(
				seq + 3,
				`The writer of part${index} sends gamma${index} behind delta${index} to queue${index}.`,
			),
		];
	}).flat();
}

it('reports at the end of turns are preferred to sentences within them', () => {
	const text = summaryOf(turns(30), 900);
	const told = (words: RegExp) => text.match(words)?.length ?? 0;
	const reports = told(/The writer of part/g);
	expect(reports).toBeGreaterThan(5);
	expect(reports).toBeGreaterThan(2 * told(/The parser of part/g));
});
