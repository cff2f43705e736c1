import { describe, expect, it } from 'vitest';
import { isAnnouncement, isDecision, isGuess, scoreCues } from '../../../server/core/analysis/text/cues.ts';
import { isStrictRule } from '../../../server/core/analysis/text/ruleWords.ts';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('words with a typographic apostrophe', () => {
	it.each([
		"That didn't work, since the pier is closed.",
		"I can't reach the harbour.",
		"I'll read the tide table.",
		"We won't change the price.",
	])('a sentence scores as with a plain apostrophe: %s', (text) => {
		expect(scoreCues(text.replace("'", '’'))).toBe(scoreCues(text));
		expect(scoreCues(text)).not.toBe(1);
	});

	it('announcements, decisions, guesses and rules are recognized', () => {
		expect(isAnnouncement('I’m going to read the tide table.')).toBe(true);
		expect(isDecision('I’m keeping the old fares, because the harbour asked for them.')).toBe(true);
		expect(isGuess('I’m not sure that the pier is open.')).toBe(true);
		expect(isStrictRule('Don’t touch the fares.')).toBe(true);
	});

	it('the next step is found', () => {
		const text = summaryOf([
			user(1, 'Open the pier.'),
			assistant(2, 'The pier is open.\nI’ll now repaint the sign.'),
		]);
		expect(text).toContain('Next: I’ll now repaint the sign.');
	});
});
