import { describe, expect, it } from 'vitest';
import { collectRules } from '../../../server/core/analysis/rules.ts';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const rulesIn = (text: string): string[] => collectRules([user(1, text)]).map((rule) => rule.text);

describe("finding the user's rules", () => {
	it('a rule includes the sentence to which it refers', () => {
		expect(rulesIn('The budget cap is $815 in total. Never exceed it.')).toEqual([
			'The budget cap is $815 in total. Never exceed it.',
		]);
	});

	it('a rule that names its subject is found alone', () => {
		expect(rulesIn('The tests are slow today. Never change settings.ini.')).toEqual([
			'Never change settings.ini.',
		]);
	});

	it('rules are not found in pasted diffs', () => {
		const diff =
			'What is this?\n@@ -1,2 +1,2 @@\n-# You must never use floats.\n+# Always use decimals.\n context';
		expect(rulesIn(diff)).toEqual([]);
		expect(rulesIn(`${diff}\n\nNever use floats here.`)).toEqual(['Never use floats here.']);
	});

	it('rules are found in lists with dashes', () => {
		expect(rulesIn('Mind this:\n- Never push to main.')).toEqual(['- Never push to main.']);
	});

	it('a report of what is never so is not a rule', () => {
		expect(rulesIn('Edits that users make before the first prompt are never captured.')).toEqual([]);
		expect(rulesIn('Edits must never be captured twice.')).toEqual(['Edits must never be captured twice.']);
	});

	it('a reported effect is not a rule', () => {
		expect(rulesIn('This causes the sum of the rows to always be 0.')).toEqual([]);
		expect(rulesIn('Floats cause trouble: remember to always use decimals.')).toHaveLength(1);
	});

	it('a request for now is not a rule', () => {
		expect(rulesIn('Never mind the tests for now.')).toEqual([]);
	});

	it('a rule that the user took back is left out', () => {
		const long = `Always use tabs for the new files. ${'The old ones are mixed and nobody minds. '.repeat(12)}`;
		const text = summaryOf([
			user(1, 'Tidy up.'),
			user(2, long),
			user(3, 'Actually, scratch that. Instead follow the formatter.'),
			assistant(4, 'I run the formatter.'),
		]);
		expect(sectionIn(text, 'rules')).not.toContain('Always use tabs');
	});
});
