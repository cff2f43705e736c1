import { expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const found = 'The berth is wrong. The reason is this line in the table of the southern harbour:';
const filler = Array.from({ length: 30 }, (_, index) => [
	assistant(
		4 + 2 * index,
		`The quay ${index} of the old ferry holds ${index * 3} boats, because its pier is short.`,
	),
	user(5 + 2 * index, `Look at quay ${index + 1} too.`),
]).flat();

/** Returns what a summary shows of an agent's message in which this code is followed by a sentence. */
function shownOf(code: string): string {
	const read = call('Read', { file_path: '/srv/berths.py' });
	const edit = call('Edit', {
		file_path: '/srv/berths.py',
		old_string: 'berth.quay = quay',
		new_string: 'pass',
	});
	const message = assistant(
		3,
		`${found}\n\n\`\`\`python\n${code}\n\`\`\`\n\nIt changes the quay of each berth.`,
		edit,
	);
	const sources = [
		user(0, 'Find the error.'),
		assistant(1, '', read),
		result(2, read, 'berth.quay = quay\n'),
		message,
	];
	const text = summaryOf([...sources, result(4, edit, 'Done.'), ...filler], 3000);
	return text.split('\n').find((line) => line.includes('The reason is this line')) ?? '';
}

it('a sentence that announces code says so if the code is not shown, because it was removed', () => {
	expect(shownOf('berth.quay = quay')).toMatch(/southern harbour: …$/);
});

it('a sentence that announces code which is shown needs no mark', () => {
	expect(shownOf('quay.berth = seven')).toMatch(/southern harbour:$/);
});
