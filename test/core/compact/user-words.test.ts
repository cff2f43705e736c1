import { describe, expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const filler = Array.from({ length: 30 }, (_, index) =>
	assistant(20 + index, `Step ${index} took ${index + 3} ms, because the cache was cold again.`),
);

describe('the words of the user in a summary', () => {
	it('the same number in answer to two questions stands twice, each time with its option', () => {
		const words = sectionIn(
			summaryOf([
				user(1, 'Repair the harbour.'),
				assistant(2, 'What first?\n1. The pier\n2. The lock'),
				user(3, '2'),
				assistant(4, 'The lock works. And now?\n1. The pier\n2. The lights'),
				user(5, '2'),
				assistant(6, 'The lights work.'),
			]),
			'userWords',
		);
		expect(words).toContain('[#3 user] (asked: What first?; listed in #2: 2) The lock) 2');
		expect(words).toContain('[#5 user] (asked: The lock works. And now?; listed in #4: 2) The lights) 2');
	});

	it('sentences of a long message stand among them, but output that the user pasted does not', () => {
		const details = 'The pier needs a rail because of the storm. '.repeat(12);
		const pasted = Array.from({ length: 12 }, (_, index) => `=== RUN   TestPier_${index}_holds`).join('\n');
		const text = summaryOf([
			user(1, 'Repair the harbour.'),
			assistant(2, 'The lock works.'),
			user(3, `Close the lock at 17:40, because the tide turns then. ${details}\n\n${pasted}`),
			...filler,
		]);
		const words = sectionIn(text, 'userWords');
		expect(words).toContain('Close the lock at 17:40');
		expect(words).not.toContain('TestPier');
		expect(sectionIn(text, 'events')).not.toContain('Close the lock');
	});

	it('a message that the user interrupted and sent again with more words stands once', () => {
		const first = 'May the lock never take more than half of the water?';
		const text = summaryOf([
			user(1, 'Repair the harbour.'),
			assistant(2, 'The lock works.'),
			user(3, first),
			user(4, '[Request interrupted by user]', { isInjected: true }),
			user(5, `${first.slice(0, -1)}, nor of the current?`),
			...filler,
		]);
		const words = sectionIn(text, 'userWords');
		expect(words).toContain('[#5 user] May the lock never');
		expect(words).not.toContain('[#3 user]');
	});
});
