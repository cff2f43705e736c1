import { expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

it('a sentence of a result that its call’s line shows as the outcome is not shown again', () => {
	const outcome = 'Switched to a new branch for the ferry';
	const text = summaryOf(
		[
			user(1, 'Begin.'),
			...done(2, [call('Bash', { command: 'git checkout -b ferry' }), outcome]),
			assistant(4, 'I begin.'),
		],
		4000,
	);
	expect(text).toContain(`→ ${outcome}`);
	expect(text.split(outcome).length).toBe(2);
});

it('a line of a patch with the name of its only file is not quoted', () => {
	const patch =
		'*** Begin Patch\n*** Update File: src/pier.ts\n@@\n-const berth = 1;\n+const berthNumber = 2;\n*** End Patch';
	const text = summaryOf(
		[
			user(1, 'Move the ferry.'),
			...done(2, [call('apply_patch', { patchText: patch }), 'Done']),
			assistant(4, 'It is moved.'),
		],
		4000,
	);
	expect(text).toContain('const berthNumber = 2;');
	expect(text).not.toContain('Update File');
});
