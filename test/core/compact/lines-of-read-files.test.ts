import { expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

/** Returns a long session that reads the file `src/rows.ts` by this call. */
function readingSession(reading: Source['calls'][number], output: string, failed = false): Source[] {
	const talk = (seq: number): Source[] =>
		Array.from({ length: 120 }, (_, index) =>
			assistant(
				seq + index,
				`Harbour ${seq + index} is closed because the storm number ${index} broke its pier.`,
			),
		);
	return [
		user(1, 'Count the rows of each harbour.'),
		...talk(2),
		assistant(130, '', reading),
		result(131, reading, output, failed),
		...talk(132),
		assistant(260, 'I use countRowsOf with maxHarbours and let openHarbours close the piers.'),
	];
}

const code = [
	'export function countRowsOf(harbour: Harbour): number {',
	'\tconst openHarbours = listHarbours().filter(isOpen);',
	'\treturn openHarbours.length * maxHarbours;',
	'}',
].join('\n');

it.each([
	['Claude Code', call('Read', { file_path: '/shop/src/rows.ts' })],
	['Codex', call('exec_command', { cmd: "sed -n '1,40p' src/rows.ts", workdir: '/shop' })],
	['pi', call('read', { path: 'src/rows.ts' })],
	['Gemini CLI', call('read_file', { absolute_path: '/shop/src/rows.ts' })],
])(
	'a small summary shows the lines of a file that %s read under the files, not in the story',
	(_, reading) => {
		for (const budget of [250, 300, 400, 500]) {
			const text = summaryOf(readingSession(reading, code), budget);
			expect(sectionIn(text, 'events')).not.toContain('openHarbours = ');
		}
		expect(summaryOf(readingSession(reading, code), 500)).toContain('openHarbours');
	},
);

it('a small summary shows a failed reading in the story', () => {
	const reading = call('Read', { file_path: '/shop/src/rows.ts' });
	const text = summaryOf(readingSession(reading, 'File does not exist.', true), 500);
	expect(sectionIn(text, 'events')).toContain('File does not exist');
});
