import { expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const filler = 'The table shows every ferry with its pier and the next tide. '.repeat(10);

/** Returns a summary of a request with a rule, and of later messages. */
const summaryWith = (rule: string, ...later: Parameters<typeof summaryOf>[0]) =>
	summaryOf([user(1, `Remove the outline of every badge. ${filler}\n${rule}`), ...later], 2000);
const isRule = (text: string, rule: string) =>
	text.split('\n').some((line) => line === `- ${rule}` || line === `Hands off: ${rule}`);

const oneRequest = 'No other changes, do not touch gaps or shadows.';

it('a limit of one request is no rule for a later request', () => {
	const done = assistant(2, 'The outlines are gone.');
	expect(isRule(summaryWith(oneRequest, done), oneRequest)).toBe(true);
	expect(
		isRule(summaryWith(oneRequest, done, user(3, 'Now widen the gaps between the cards.')), oneRequest),
	).toBe(false);
});

it.each(['Never touch anything else than the badges.', 'Do not touch the signature of `instantOf`.'])(
	'a rule without such a limit holds for later requests: %s',
	(rule) => {
		const later = [assistant(2, 'The outlines are gone.'), user(3, 'Now widen the gaps between the cards.')];
		expect(isRule(summaryWith(rule, ...later), rule)).toBe(true);
	},
);

it('a step of a plan is no rule after the user chose another plan', () => {
	const step = 'Do not rename the input `audience`.';
	const plan = user(1, `PLEASE IMPLEMENT THIS PLAN:\n${filler}\n${step}`);
	const later = [assistant(2, 'Here is another plan: rename the input.'), user(3, 'Implement that plan.')];
	expect(isRule(summaryOf([plan], 2000), step)).toBe(true);
	expect(isRule(summaryOf([plan, ...later], 2000), step)).toBe(false);
});
