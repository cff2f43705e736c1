import { describe, expect, it } from 'vitest';
import { assistant, call } from './facts-sources.ts';
import { sectionIn, sessionOfCalls, summaryOf } from './summaries.ts';

type Step = [Parameters<typeof sessionOfCalls>[0][0], string];
const bash = (command: string, output: string): Step => [call('Bash', { command }), output];
const write = (name: string, content: string): Step => [
	call('Write', { file_path: `/w/src/${name}`, content }),
	'File created',
];
const berth = write('berth.ts', 'export function moorAtBerth() {}\n');
const commitBerth = bash('git add -A && git commit -qm berth && git log --oneline -1', '7c6610b berth');
const pier = write('pier.ts', 'export function openPier() {}\n');
const commitPier = bash('git add -A && git commit -m pier', '[main 3fa21bc] pier\n 1 file changed');

/** Returns the files and names of a summary after these calls. */
function filesAfter(...steps: Step[]): string {
	return sectionIn(summaryOf([...sessionOfCalls(...steps), assistant(40, 'Next.')]), 'code');
}

describe('commits that git reverts by their hashes', () => {
	it.each(['7c6610b', '7c6610b4c0ffee7c6610b4c0ffee7c6610b4c0ff'])(
		'the files and names of the commit are gone, and those of a later commit stay: %s',
		(hash) => {
			const revert = bash(`git revert --no-edit ${hash}`, '[main 9d1e2f3] Revert "berth"');
			const text = filesAfter(berth, commitBerth, pier, commitPier, revert);
			expect(text).toContain('openPier');
			expect(text).not.toMatch(/moorAtBerth|berth\.ts/);
		},
	);

	it('a revert in a folder that the command names is followed', () => {
		const revert = bash('git -C /srv/harbour revert --no-edit 7c6610b', '[main 9d1e2f3] Revert "berth"');
		expect(filesAfter(berth, commitBerth, pier, commitPier, revert)).not.toMatch(/moorAtBerth|berth\.ts/);
	});

	it('one command may revert several commits', () => {
		const revert = bash(
			'git revert --no-edit 3fa21bc 7c6610b',
			'[main 9d1e2f3] Revert "pier"\n[main 9d1e2f4] Revert "berth"',
		);
		expect(filesAfter(berth, commitBerth, pier, commitPier, revert)).not.toMatch(/openPier|moorAtBerth/);
	});

	it('a file that changed later is still listed', () => {
		const later = write('berth.ts', 'export function moorTwice() {}\n');
		const revert = bash('git revert --no-edit 7c6610b', '[main 9d1e2f3] Revert "berth"');
		expect(filesAfter(berth, commitBerth, later, commitPier, revert)).toContain('moorTwice');
	});

	it.each([
		[
			'stopped at conflicts',
			'git revert --no-edit 7c6610b',
			'CONFLICT (content): Merge conflict in src/berth.ts\nerror: could not revert 7c6610b',
		],
		[
			'was refused',
			'git revert 7c6610b',
			'error: your local changes would be overwritten by revert.\nfatal: revert failed',
		],
		['was only tried', 'git revert -n 7c6610b && git diff --stat', ' src/berth.ts | 1 -'],
	])('a revert that %s takes nothing back', (_, command, output) => {
		const text = summaryOf([
			...sessionOfCalls(berth, commitBerth, bash(command, output)),
			assistant(40, 'Next.'),
		]);
		expect(text).not.toContain('reverted later');
		expect(sectionIn(text, 'code')).toContain('moorAtBerth');
	});

	it('the revert of an unknown commit changes nothing', () => {
		const revert = bash('git revert --no-edit 0123456', '[main 9d1e2f3] Revert "old"');
		expect(filesAfter(berth, commitBerth, revert)).toContain('moorAtBerth');
	});

	it('the first line that names the commit is marked', () => {
		const text = summaryOf([
			...sessionOfCalls(berth, commitBerth),
			assistant(6, 'The berth has its own module now (7c6610b), and all tests pass.'),
			...sessionOfCalls(bash('git revert --no-edit 7c6610b', '[main 9d1e2f3] Revert "berth"'))
				.slice(1)
				.map((one) => ({ ...one, seq: one.seq + 6 })),
			assistant(10, 'I reverted 7c6610b, because the ferry needs the old module.'),
		]);
		expect(text).toContain('→ 7c6610b berth (reverted later, in #8)');
		expect(text.match(/reverted later/g)).toHaveLength(1);
	});
});
