import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

describe('a command that failed', () => {
	const failed: [string, string, boolean] = [
		'ferry open pier --at noon',
		'Exit code 1\nuse of --at requires --yes',
		true,
	];

	it.each(['ferry open pier --at noon --yes', 'ferry open pier --yes --at noon'])(
		'passed later with more options: %s',
		(command) => {
			expect(summaryOf(ran(failed, [command, '']))).toContain('(passed later, #5)');
		},
	);

	it.each(['ferry open pier --yes noon', 'ferry open quay --at noon --yes', 'ferry open pier noon'])(
		'did not pass later as another command: %s',
		(command) => {
			expect(summaryOf(ran(failed, [command, '']))).not.toContain('passed later');
		},
	);
});
