import { describe, expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const wrong = 'The gauge of the north pier fails because its clock is 40 seconds late.';
const right = 'The gauge of the north pier works, and the clock of the mainland is 40 seconds early.';

/** Returns a summary too small for all of the agent's sentences. */
function summaryAfter(reversal: string): string {
	const others = Array.from({ length: 12 }, (_, index) =>
		assistant(3 + index, `Pier ${index} has ${index + 2} berths, which the ferry found too short.`),
	);
	return summaryOf(
		[user(1, 'Check the gauges.'), assistant(2, `${wrong}\n\n${reversal} ${right}`), ...others],
		240,
	);
}

describe('what an agent takes back in the same message', () => {
	it.each(['Actually wait, let me reconsider.', 'Wait, no.', 'Hmm, scratch that.'])(
		'a summary without room shows what follows "%s", not what is before it',
		(reversal) => {
			const text = summaryAfter(reversal);
			expect(text).toContain('clock of the mainland');
			expect(text).not.toContain('40 seconds late');
		},
	);

	it('a reversal that begins with a contrast stays with what it takes back', () => {
		expect(summaryAfter('But actually, no.')).toMatch(/late\.\n But actually, no\. .* early\./);
	});

	it('a sentence that waits for something takes nothing back', () => {
		expect(summaryAfter('Wait for the tide before the next test.')).toContain('40 seconds late');
	});
});
