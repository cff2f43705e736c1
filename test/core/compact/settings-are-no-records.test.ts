import { describe, expect, it } from 'vitest';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

/** Returns a summary after this file was read. */
function summaryAfter(path: string, content: unknown): string {
	const read = call('Bash', { command: `cat ${path}` });
	return summaryOf(
		[
			user(0, 'Why does the build of the pier fail?'),
			assistant(1, 'I read the settings.', read),
			readResult(2, read, JSON.stringify(content, undefined, 2)),
			assistant(3, 'The target is too old for the tides.'),
		],
		600,
	);
}

describe('records by id', () => {
	it('a file of settings is none, although an object in it has a name', () => {
		const text = summaryAfter('tsconfig.json', {
			compilerOptions: { target: 'ES2017', moduleResolution: 'bundler', plugins: [{ name: 'next' }] },
			include: ['pier/**/*.ts', 'tides/**/*.ts', 'berths/**/*.ts'],
		});
		expect(sectionIn(text, 'records')).toBe('');
		expect(text).toContain('ES2017');
	});

	it('a file with several objects is data', () => {
		const text = summaryAfter('berths.json', [
			{ id: 'K7', kind: 'ferry', draught_m: 4.2, occupied_until: '2026-03-01' },
			{ id: 'K9', kind: 'yacht', draught_m: 2.1, occupied_until: '2026-04-15' },
		]);
		expect(sectionIn(text, 'records')).toContain('K9');
	});
});
