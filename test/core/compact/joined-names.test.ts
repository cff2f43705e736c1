import { expect, it } from 'vitest';
import { joinListedNames } from '../../../server/core/analysis/text/joinedLines.ts';

it('names of two folders are not joined into one list', () => {
	const north = ['gauge.ts', 'lamp.ts', 'tide.ts'];
	const south = ['anchor.ts', 'buoy.ts', 'crane.ts', 'pier.ts', 'rope.ts'];
	expect(joinListedNames([...north, ...south])).toEqual([north.join(' | '), south.join(' | ')]);
});

it('the heading of a folder begins a list', () => {
	expect(
		joinListedNames(['north:', 'gauge.ts', 'lamp.ts', 'tide.ts', 'south:', 'lamp.ts', 'pier.ts', 'rope.ts']),
	).toEqual(['north: gauge.ts | lamp.ts | tide.ts', 'south: lamp.ts | pier.ts | rope.ts']);
});

it('names without order, or in the order of a dictionary, are one list', () => {
	for (const names of [
		['tide.ts', 'lamp.ts', 'rope.ts', 'buoy.ts', 'pier.ts'],
		['.env', 'berths', '_cache', 'Lamps', 'README.md', 'tides'],
	])
		expect(joinListedNames(names)).toEqual([names.join(' | ')]);
});
