import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const write = (path: string) => call('Write', { file_path: path, content: 'one' });
const bash = (command: string) => call('Bash', { command });

/** Returns the lists of files in a summary after these calls. */
function filesAfter(...calls: [Source['calls'][number], output?: string][]): string {
	const sources = [
		user(1, 'Tidy it up.'),
		...calls.flatMap(([made, output = 'done'], index) => [
			assistant(2 + 2 * index, '', made),
			result(3 + 2 * index, made, output),
		]),
	];
	return sectionIn(summaryOf(sources, 4000), 'files');
}

describe('a removed folder', () => {
	it('is not listed if later edits are in it, although the command named only its end', () => {
		const lists = filesAfter(
			[write('/w/a.ts')],
			[bash('rm -rf web && mkdir -p web/src')],
			[write('/w/web/src/tide.ts')],
		);
		expect(lists).not.toContain('removed');
	});

	it('is not named as edited by the announcement to remove a file in it', () => {
		const remove = bash('rm -f /w/nul');
		const text = summaryOf([
			user(1, 'Tidy it up.'),
			assistant(2, 'First, let me remove the empty file `nul`:', remove),
			result(3, remove, ''),
			assistant(4, 'Gone.'),
		]);
		expect(text).not.toContain('edited nul');
	});

	it('that was moved is listed as moved', () => {
		const lists = filesAfter(
			[write('/w/charts/north.tex')],
			[write('/w/a.ts')],
			[bash('cd /w && mkdir paper && mv charts/ paper/')],
		);
		expect(lists).toMatch(/charts \(moved to \S*paper\)/);
	});
});

it('plans and notes that Claude Code keeps elsewhere do not count as changed next to other files', () => {
	const lists = filesAfter([write('/home/ida/.claude/plans/tide.md')], [write('/w/a.ts')]);
	const text = summaryOf([
		user(1, 'Tidy it up.'),
		assistant(2, '', write('/home/ida/.claude/plans/tide.md')),
		assistant(4, '', write('/w/a.ts')),
	]);
	expect(lists).toContain('/w/a.ts');
	expect(text).not.toMatch(/^State:.*plans/m);
});
