import { expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const decision = 'I recommend a queue instead of a lock, because two importers may run at the same time.';

it('a decision with its reason has its own section, with the answer in which the user approves', () => {
	const text = summaryOf([
		user(1, 'Two importers overwrite each other.'),
		assistant(2, `I looked at the importers. ${decision}`),
		user(3, 'ok, do it'),
		assistant(4, 'The queue is written and every row is stored once.'),
	]);
	expect(sectionIn(text, 'decisions')).toBe(`[#2, user in #3: ok, do it] ${decision}`);
	expect(sectionIn(text, 'events')).not.toContain(decision);
});

it('a decision has the objection of a user who asks for something else', () => {
	const made = decision.replace('recommend', 'chose');
	const text = summaryOf([
		user(1, 'Two importers overwrite each other.'),
		assistant(2, made),
		user(3, 'No, keep the lock and make it wait.'),
	]);
	expect(sectionIn(text, 'decisions')).toContain(
		`[#2, user in #3: No, keep the lock and make it wait.] ${made}`,
	);
});

it.each([
	[decision, user(3, 'No, keep the lock and make it wait.')],
	[decision, user(3, '我不同意')],
	[decision, user(3, '不可以，用锁')],
	[
		'Should I go with a queue, since two importers may run at the same time?',
		assistant(3, 'I look at the lock first.'),
	],
])('a proposal that the user refused, or a question, is no decision: %s', (said, next) => {
	const text = summaryOf([user(1, 'Two importers overwrite each other.'), assistant(2, said), next]);
	expect(sectionIn(text, 'decisions')).toBe('');
	expect(text).toContain(said);
});
