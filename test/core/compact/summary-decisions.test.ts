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

it.each([
	['Decided:', 'The piers are counted by berth, and the rows keep the name of the ship.'],
	['OK, settled:', 'The piers are counted by berth, and the rows keep the name of the ship.'],
	[
		'Gut, vereinbart:',
		'Die Stege werden je Liegeplatz gezählt, und die Zeilen behalten den Namen des Schiffs.',
	],
	['好，敲定：', '**码头按泊位计算**，每一行保留船的名字，并且按照日期排序。'],
	['決定事項：', '桟橋は停泊位ごとに数え、各行は船の名前を保ち、日付の順に並べます。'],
])('a recorded decision comes before other sentences if space is short: %s', (opening, decision) => {
	const others = Array.from({ length: 30 }, (_, index) =>
		assistant(
			10 + index,
			`Pier ${index} returns ${index + 20} rows by default, since the harbour has a limit of ships at night.`,
		),
	);
	const made = assistant(4, `${opening}\n\n> ${decision}\n\nNow the colours of the flags.`);
	const text = summaryOf([user(1, 'Plan the table.'), user(3, 'by berth'), made, ...others], 160);
	expect(text).toContain(decision.replaceAll('>', ''));
});
