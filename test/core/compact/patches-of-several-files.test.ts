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
});
