import { expect, it } from 'vitest';
import { assistant, call, type user as makeUser, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns `count` sentences that differ only in their names, then results that all contain the name of sentence `chosen`. */
function session(count: number, chosen: number): ReturnType<typeof makeUser>[] {
	const told = Array.from({ length: count }, (_, index) =>
		assistant(
			index + 2,
			`Part ${index} of the work holds openHandler${index} beside plain words like garden${index} and river${index}.`,
		),
	);
	const seq = count + 2;
	const reads = Array.from({ length: 6 }, (_, index) => {
		const made = call('Read', { file_path: `src/day${index}.ts` });
		const shown = `const first = openHandler${chosen}(${index});`;
		return [assistant(seq + index * 2, '', made), result(seq + index * 2 + 1, made, shown)];
	}).flat();
	return [user(1, 'Go through the parts of the work, please.'), ...told, ...reads];
}

it.each([110, 140, 220])('a small summary prefers the sentence whose name is in use (%i)', (chosen) => {
	const text = summaryOf(session(300, chosen), 320);
	expect(text).toContain(`Part ${chosen} of the work`);
	expect(text.match(/Part \d+ of the work/g)?.length).toBeLessThan(20);
});
