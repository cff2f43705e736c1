import { describe, expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const edit = call('Edit', {
	file_path: '/w/plan.md',
	old_string: '# Plan',
	new_string: '# Plan\n\n## Goals',
});
const filler = Array.from({ length: 8 }, (_, index) => assistant(20 + index, `Step ${index} is done.`));

describe('a report that something is not done yet', () => {
	it('is left out if the message announces the change and makes it', () => {
		const text = summaryOf([
			user(1, 'Write the plan.'),
			assistant(2, "The goals haven't been appended yet. Let me append them now.", edit),
			...done(4, [edit]).slice(1),
			...filler,
		]);
		expect(text).not.toContain("haven't been appended");
	});

	it('stays if the message changes nothing', () => {
		const text = summaryOf([
			user(1, 'Write the plan.'),
			assistant(2, "The goals haven't been appended yet. Let me ask you about them first."),
			...filler,
		]);
		expect(text).toContain("haven't been appended");
	});
});

describe('a report that a server runs', () => {
	const start = assistant(2, 'The tide server is still running on port 8080.');

	it('is left out if a later command stops a process', () => {
		const stop = call('Bash', { command: 'kill 89483' });
		const text = summaryOf([user(1, 'Serve the tides.'), start, ...done(3, [stop, '']), ...filler]);
		expect(text).not.toContain('still running');
	});

	it('stays otherwise', () => {
		const look = call('Bash', { command: 'ps aux' });
		const text = summaryOf([
			user(1, 'Serve the tides.'),
			start,
			...done(3, [look, 'node tide.js']),
			...filler,
		]);
		expect(text).toContain('still running');
	});
});
