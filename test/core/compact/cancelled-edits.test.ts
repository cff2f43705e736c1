import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, done, user } from './facts-sources.ts';
import { headOf, summaryOf } from './summaries.ts';

type Edit = (path: string, from: string, to: string) => Source['calls'][number];

const formats: [agent: string, edit: Edit][] = [
	[
		'Claude Code',
		(path, from, to) =>
			call('Edit', { file_path: path, old_string: from, new_string: to, replace_all: false }),
	],
	['OpenCode', (path, from, to) => call('edit', { filePath: path, oldString: from, newString: to })],
	['Gemini', (path, from, to) => call('replace', { file_path: path, old_string: from, new_string: to })],
];

const plain = 'export const depth = readDepth();';
const tidal = `const tide = readTide();\n${plain}`;

describe.each(formats)('edits by %s that cancel each other', (_, edit) => {
	const session = (last: Source['calls'][number]): Source[] => [
		user(0, 'Show the tide next to the depth.'),
		...done(1, [edit('/shop/src/depth.ts', plain, tidal)]),
		...done(3, [edit('/shop/src/pier.ts', 'let pier = 1;', 'let pier = 2;')]),
		assistant(
			5,
			'Done. Here is what changed:\n\n- `src/depth.ts` reads the tide.\n- `src/pier.ts` has two piers.\n\nThe depth is read in `src/depth.ts`.',
		),
		user(6, 'Rather without the tide.'),
		...done(7, [last]),
		assistant(9, 'The tide is gone.'),
	];
	const takenBack = session(edit('/shop/src/depth.ts', tidal, plain));
	const edited = session(edit('/shop/src/depth.ts', tidal, 'export const depth = 4;'));

	it('leave their file unchanged', () => {
		const stateOf = (sources: readonly Source[]): string | undefined =>
			headOf(...sources).find((line) => line.startsWith('State: '));
		expect(stateOf(takenBack)).toMatch(/^State: changed[^;]*pier\.ts/);
		expect(stateOf(takenBack)).not.toContain('depth.ts');
		expect(stateOf(edited)).toMatch(/^State: changed[^;]*depth\.ts/);
	});

	it('are marked in a report that was written between them', () => {
		const text = summaryOf(takenBack, 3000);
		expect(text).toContain('`src/depth.ts` reads the tide. (edits taken back later, in #7)');
		expect(text).toMatch(/`src\/pier\.ts` has two piers\.$/m);
		expect(text).toMatch(/is read in `src\/depth\.ts`\.$/m);
		expect(summaryOf(edited, 3000)).not.toContain('taken back');
	});

	it('leave their file changed if a commit has the first of them', () => {
		const commit = call('Bash', { command: 'git commit -am Tide' });
		const sources = [
			user(0, 'Show the tide next to the depth.'),
			...done(1, [edit('/shop/src/depth.ts', plain, tidal)]),
			...done(3, [commit]),
			...done(5, [edit('/shop/src/depth.ts', tidal, plain)]),
			assistant(7, 'The tide is gone.'),
		];
		expect(summaryOf(sources, 3000)).toMatch(/changed[^;]*depth\.ts/);
	});
});
