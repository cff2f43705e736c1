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

	it('does not remove the sentence before it', () => {
		const text = summaryOf([
			user(1, 'Write the plan.'),
			assistant(
				2,
				'The cause is the stale lock of the tide table. It is not fixed yet. Let me fix it.',
				edit,
			),
			...done(4, [edit]).slice(1),
			...filler,
		]);
		expect(text).toContain('The cause is the stale lock');
	});

	it('stays if the message announces something else', () => {
		const text = summaryOf([
			user(1, 'Write the plan.'),
			assistant(
				2,
				"The goals aren't covered by a test yet. I'll leave that for later and fix the title.",
				edit,
			),
			...done(4, [edit]).slice(1),
			...filler,
		]);
		expect(text).toContain("aren't covered");
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
