import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const thought = 'The harbour file is perhaps read twice, because `readHarbours` has no cache at all.';
const answer = 'The importer failed because `harbours.csv` had no header in its first line.';

describe("the agent's thinking", () => {
	const answered = { ...assistant(2, `${thought}\n${answer}`), thoughtLength: thought.length + 1 };

	it('has a label of its own, because nobody read it', () => {
		const text = summaryOf([user(1, 'Why did the import fail?'), answered, user(3, 'Good.')], 2000);
		expect(text).toContain(`[#2 thought] ${thought}`);
		expect(text).toContain(`[#2] ${answer}`);
	});

	it('has no such label if only the answer is shown, or if the agent thinks in plain text', () => {
		const plain = summaryOf([user(1, 'Why did it fail?'), assistant(2, answer), user(3, 'Good.')], 2000);
		expect(plain).toContain(`[#2] ${answer}`);
		expect(plain).not.toContain('thought]');
	});

	it('is shown with the words that corrected it', () => {
		const run = call('Bash', { command: 'npm test' });
		const sources = [
			user(1, 'Why did the import fail?'),
			{ ...assistant(2, `${thought}\n`, run), thoughtLength: thought.length + 1 },
			result(3, run, 'Tests: 2 failed'),
			assistant(4, 'I was wrong about `readHarbours`: it has a cache.'),
			user(5, 'Go on.'),
		];
		expect(summaryOf(sources, 2000)).toContain(`[#2 thought] ${thought} (but see #4)`);
	});
});
