import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const patch = [
	'*** Begin Patch',
	'*** Update File: /srv/ports/quays.ts',
	'@@',
	'+export const quayDepths = readDepths(harbourChart, lowestTide);',
	'*** Add File: /srv/ports/quays.test.ts',
	"+expect(quayDepths.get('east pier')).toBe(tideTable.minimum);",
	'*** Update File: /srv/ports/pilots.ts',
	'@@',
	'+export const pilotRoster = assignPilots(quayDepths, nightShift);',
	'*** End Patch',
].join('\n');

/** Returns the section of files in a summary of a session that ends with a patch. */
function filesAfter(name: string, args: object): string {
	const edit = call(name, args);
	return sectionIn(
		summaryOf([user(1, 'Plan the pilots.'), assistant(2, '', edit), result(3, edit, 'Done!')], 3000),
		'files',
	);
}

describe('lines of a patch that changes several files', () => {
	it.each([
		['Codex', 'apply_patch', { input: patch }],
		['OpenCode', 'apply_patch', { patchText: patch }],
	])('each line has the name of its own file: %s', (_, name, args) => {
		const files = filesAfter(name, args);
		expect(files).toMatch(/\[#2 apply_patch quays\.ts\][^[]*quayDepths = readDepths/);
		expect(files).toMatch(/\[#2 apply_patch quays\.test\.ts\][^[]*tideTable\.minimum/);
		expect(files).toMatch(/\[#2 apply_patch pilots\.ts\][^[]*pilotRoster = assignPilots/);
	});

	it('a line that the patch removes and adds again is not shown as removed', () => {
		const kept = "  { name: 'quays', run: measureQuayDepths },";
		const edit = call('apply_patch', {
			input: [
				'*** Begin Patch',
				'*** Update File: /srv/ports/runs.ts',
				'@@',
				`-${kept}`,
				"-  { name: 'barges', run: measureBargeDepths },",
				`+${kept}`,
				'*** End Patch',
			].join('\n'),
		});
		const text = summaryOf([user(1, 'No barges.'), assistant(2, '', edit), result(3, edit, 'Done!')], 3000);
		expect(text).toContain("{ name: 'quays'");
		expect(text).not.toMatch(/^.*- *\{ name: 'quays'/m);
	});

	it.each(['apply_patch', 'functions.apply_patch'])(
		'a line that %s removes from one file is shown only from the file that keeps it',
		(name) => {
			const line = 'const berth = findBerth(quay, ferry.length);';
			const both = call(name, {
				input: [
					'*** Begin Patch',
					'*** Add File: /srv/ports/ferries.ts',
					`+${line}`,
					'*** Update File: /srv/ports/barges.ts',
					'@@',
					'+const tow = findTow(barge);',
					'*** End Patch',
				].join('\n'),
			});
			const read = call('read', { path: '/srv/ports/barges.ts' });
			const later = call(name, {
				input: [
					'*** Begin Patch',
					'*** Update File: /srv/ports/barges.ts',
					'@@',
					`-${line}`,
					'*** Update File: /srv/ports/quays.ts',
					'@@',
					'+const quay = findQuay();',
					'*** End Patch',
				].join('\n'),
			});
			const text = summaryOf(
				[
					user(1, 'Barges need no berth.'),
					...[assistant(2, '', both), result(3, both, 'Done!')],
					...[assistant(4, '', read), result(5, read, `${line}\nconst tow = findTow(barge);`)],
					...[assistant(6, '', later), result(7, later, 'Done!')],
				],
				3000,
			);
			expect(text).toMatch(/\[#2 [^\]]*ferries\.ts\][^[]*findBerth/);
			expect(text).not.toMatch(/\[#5[^[]*findBerth/);
		},
	);
});
