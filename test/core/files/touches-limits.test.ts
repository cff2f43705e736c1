import { expect, it } from 'vitest';
import { findFileAccess } from '../../../server/core/files/findTouches.ts';
import {
	maxPathBytes,
	maxTouchedPathUnits,
	maxTouchesPerCall,
} from '../../../server/core/files/touches/tuning.ts';
import { costGrowth, maxLinearGrowth } from '../../support/processorClock.ts';

const accessOf = (command: string, workdir?: string, folder?: string) =>
	findFileAccess({ id: 'c', name: 'exec_command', args: { cmd: command, workdir } }, folder);

const long = `/${'d'.repeat(10_000)}`;
const numbered = (count: number, text: (index: number) => string): string =>
	Array.from({ length: count }, (_, index) => text(index)).join('');

it.each<[string, string, string | undefined]>([
	['absolute', `cat ${long}`, undefined],
	['below a folder changed to', `cd ${long} && cat a`, undefined],
	['below a folder given with the call', 'cat a', long],
	['too long only when joined', `cd /${'d'.repeat(4000)} && cat ${'f'.repeat(200)}`, undefined],
	['too long in UTF-8 bytes', `cat ${'é'.repeat(2500)}`, undefined],
])('a path longer than any file can have is no touch: %s', (_, command, workdir) => {
	expect(accessOf(command, workdir)).toEqual({
		touches: [],
		showsOnlyFiles: false,
		removedPaths: [],
		changes: [],
	});
});

it('the longest path that a system opens is a touch', () => {
	const path = `/${'d'.repeat(maxPathBytes - 1)}`;
	expect(accessOf(`cat ${path}`).touches).toMatchObject([{ kind: 'read', path }]);
});

it('absolute paths are found after a change to a folder whose path is too long', () => {
	expect(accessOf(`cd ${long}; cat a; cat /b`).touches).toMatchObject([{ path: '/b' }]);
});

it.each<[string, string]>([
	['reads', numbered(5000, (index) => `cat a${index}; `)],
	['edits', numbered(5000, (index) => `echo x > a${index}; `)],
	['removals', `rm ${numbered(5000, (index) => ` a${index}`)}`],
	['removals from the index', `git rm ${numbered(5000, (index) => ` a${index}`)}`],
	['one read of many files', `cat ${numbered(5000, (index) => ` a${index}`)}`],
	['line ranges of many files', `sed -n ${numbered(2000, (index) => ` -e ${index + 1}p`)} a b c d e f`],
	[
		'a patch',
		`apply_patch <<'EOF'\n*** Begin Patch\n${numbered(5000, (i) => `*** Delete File: a${i}\n`)}EOF`,
	],
])('the touches of one call are limited: %s', (_, command) => {
	const { touches, ...others } = accessOf(command);
	expect(touches.length).toBeLessThanOrEqual(maxTouchesPerCall);
	// The text after the limit is unknown, so nothing can be concluded about it.
	expect(others).toEqual({ showsOnlyFiles: false, removedPaths: [], changes: [] });
});

it('the touches of an edit tool are limited', () => {
	const edits = Array.from({ length: 5000 }, (_, index) => ({ path: `a${index}` }));
	const ranges = Array.from({ length: 300_000 }, (_, index) => [index + 1, index + 1]);
	for (const [name, args] of [
		['read_file', { files: edits }],
		['read_files', { files: edits }],
		['read_file', { path: 'a', line_range: ranges, line_ranges: ranges }],
		['apply_patch', { input: `*** Begin Patch\n${numbered(5000, (i) => `*** Add File: a${i}\n`)}` }],
	] as const) {
		const { touches } = findFileAccess({ id: 'c', name, args });
		expect(touches.length).toBeLessThanOrEqual(maxTouchesPerCall);
	}
});

it('the total length of the paths of one call is limited', () => {
	const { touches } = accessOf(`cd /${'d'.repeat(4000)}; ${numbered(150, (index) => `cat a${index}; `)}`);
	const units = touches.reduce((sum, { path }) => sum + path.length, 0);
	expect(units).toBeLessThanOrEqual(maxTouchedPathUnits);
	expect(touches.length).toBeGreaterThan(0);
});

it.each<[string, (size: number) => string]>([
	['cd and cat in turns', (size) => 'cd x && cat a; '.repeat(size / 15)],
	['cd chain', (size) => 'cd x && '.repeat(size / 8)],
	['cd to and fro', (size) => `cd /${'x/'.repeat(2000)} && ${'cd y && cd .. && '.repeat(size / 17)}`],
	['files in a long folder', (size) => `cd ${long}; ${numbered(size / 10, (i) => `cat a${i}; `)}`],
	['removals in a long folder', (size) => `cd /${'d'.repeat(4000)}; rm ${'a b c d '.repeat(size / 8)}`],
	['git rm in a long folder', (size) => `cd /${'d'.repeat(4000)} && git rm ${'a b c d '.repeat(size / 8)}`],
	['ranges times files', (size) => `sed -n ${'-e 1p '.repeat(size / 12)} ${'a '.repeat(size / 4)}`],
	['here-documents', (size) => `cat ${'<<a '.repeat(size / 8)}\n${'a\n'.repeat(size / 8)}`],
	['one path of steps', (size) => `cat ${'a/../'.repeat(size / 5)}b`],
	['pipes', (size) => `cat a ${'| cat '.repeat(size / 6)}`],
])('the files of a command are found in linear time: %s', (_, command) => {
	const growth = costGrowth(100_000, (size) => accessOf(command(size), undefined, '/home/user/project'));
	expect(growth).toBeLessThan(maxLinearGrowth);
});
