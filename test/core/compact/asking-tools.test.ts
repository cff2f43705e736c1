import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { sectionIn, sessionOfCalls, summaryOf } from './summaries.ts';

const found = '25 documents found for: tide tables\n- [Tides](tides.md) (relevance: good)';
const wordsIn = (name: string, output: string) =>
	sectionIn(summaryOf(sessionOfCalls([call(name, { question: 'tide tables' }), output])), 'userWords');

describe('the result of a tool that may ask the user', () => {
	it('is no word of the user if the tool may as well ask a service', () => {
		expect(wordsIn('ask', found)).not.toContain('documents found');
	});

	it("has the user's words behind the agent's fixed opening", () => {
		const answer = 'User has answered your questions: "Which pier?"="The new one".';
		expect(wordsIn('ask', answer)).toContain('"Which pier?"="The new one"');
	});

	it('is an answer of the user if the tool asks only users', () => {
		expect(wordsIn('ask_user', 'Take the new pier.')).toContain('Take the new pier.');
	});
});
