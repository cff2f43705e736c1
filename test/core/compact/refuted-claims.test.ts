import { describe, expect, it } from 'vitest';
import { costGrowth, maxLinearGrowth } from '../../support/processorClock.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const claim = 'The crash comes from `readZones`, because it returns null for harbour 17.';
const other = 'The importer keeps the order of rows in `writeRows`, because the reports rely on it.';

/** Returns a summary of a session in which the agent says `other` and `said`, and after a failed test `later`. */
function summaryAfter(later: string, said = claim): string {
	const run = call('Bash', { command: 'npm test' });
	return summaryOf([
		user(1, 'Find the crash.'),
		assistant(2, other),
		assistant(3, said, run),
		result(4, run, 'Tests: 2 failed'),
		assistant(5, later),
		user(6, 'Go on.'),
	]);
}

describe('claims that turned out to be wrong', () => {
	it.each([
		'I was wrong about `readZones`: it never returns null.',
		'My earlier assumption that readZones returns null is incorrect.',
		'`readZones` is not the root cause after all.',
		'The real problem is that `readZones` reads the wrong table.',
		'So the problem is not that readZones returns null.',
		'I misread the output of readZones, the harbour is missing there.',
		'Meine ursprüngliche Vermutung zu readZones war falsch.',
		'之前的判断是错的，readZones 从不返回空值。',
		'先ほどの仮説は誤りで、readZones は空を返しません。',
	])('a claim is followed by the words that corrected it: %s', (correction) => {
		const text = summaryAfter(`I looked at all the harbours again.\n\n${correction}`);
		expect(text).toContain(`${claim} (but see #5)`);
		expect(text).toContain(`${other}\n`);
		const run = call('Bash', { command: 'npm test' });
		const sources = [user(1, 'Find the crash.'), assistant(3, claim, run), result(4, run, 'Tests: 2 failed')];
		const visible = [assistant(5, `I looked at all the harbours again.\n\n${correction}`)];
		expect(summaryOf(sources, 2000, { visible })).toContain(`${claim} (later, in #5: ${correction})`);
	});

	it('a better solution is shown with the sentence that names the first one', () => {
		const first = 'The fix is to set `QUAY_MODE=plain`, which works without a terminal.';
		const reason = 'There is also `QUAY_MODE=plain`, but that only changes the colours.';
		const run = call('Bash', { command: 'npm test' });
		const others = Array.from({ length: 20 }, (_, index) => [
			assistant(5 + 2 * index, '', run),
			result(6 + 2 * index, run, 'Tests: 2 failed'),
		]).flat();
		const visible = [assistant(60, `${reason} The real fix is to answer the prompt in advance.`)];
		expect(
			summaryOf([user(1, 'Find the crash.'), assistant(3, first), ...others], 2000, { visible }),
		).toContain(`${first} (later, in #60: ${reason} The real fix is to answer the prompt in advance.)`);
	});

	it.each([
		['Found the root cause: the **calibration prompt** waits for a key.', true],
		['The calibration prompt waits for a key and prints a line.', false],
	])('a diagnosis needs only one word of the correction: %s', (said, isMarked) => {
		const text = summaryAfter(
			"So the issue isn't that calibration is missing. I look at the other ports.",
			said,
		);
		expect(text.includes(`${said} (but see #5)`)).toBe(isMarked);
	});

	it('a correction that follows from the sentence before it is shown with this sentence', () => {
		const later = 'Harbour 17 has a name in the file. So the problem is not that readZones returns null.';
		const run = call('Bash', { command: 'npm test' });
		const sources = [user(1, 'Find the crash.'), assistant(3, claim, run), result(4, run, 'Tests: 2 failed')];
		const visible = [assistant(5, `I looked at all the harbours again. ${later}`)];
		expect(summaryOf(sources, 2000, { visible })).toContain(`${claim} (later, in #5: ${later})`);
		expect(summaryAfter(`I looked at all the harbours again. ${later}`)).toContain(`${claim} (but see #5)`);
	});

	it('a shown claim is followed by the words that corrected another sentence of its message', () => {
		const said = `I found the cause: \`readZones\` returns null. ${'It is called by many others, and none of them checks it. '.repeat(2)}If a harbour has the number 17, \`readZones\` in \`zones.ts\` returns null for its zone, so the sum is wrong.`;
		const text = summaryAfter(
			'So the problem is not that `readZones` in `zones.ts` returns null for 17.',
			said,
		);
		for (const line of text.split('\n').filter((one) => one.includes('I found the cause')))
			expect(line).toMatch(/\(but see #5\)|\(later, in #5: /);
		expect(text).toContain('I found the cause');
	});

	it.each([
		'If I was wrong about `readZones`, the test would pass.',
		'Was my earlier assumption about readZones wrong?',
		'The value of `readZones` in the test was 4.',
		'I was wrong about `loadFerries`.',
		'```\nI was wrong about readZones\n```\nThat is the text of the page.',
		'The comment above `readZones` says what it returns, and the type is wrong.',
		'Fixed: `readZones` passed the name of the column, which was wrong.',
		'The test of `readZones` expected the old name; that was incorrect, so I changed the test.',
		"I don't think I was wrong about `readZones`.",
		'It is not true that I was wrong about `readZones`.',
		'You said that my earlier assumption about `readZones` is wrong, and I disagree.',
	])('a claim has no mark after other words: %s', (later) => {
		expect(summaryAfter(later)).not.toMatch(/later, in #|but see #/);
	});

	const ferry =
		'The root cause is that the table of ferries is filled in `openPort` of `port.ts`, before any ship arrives.';
	const budgets = Array.from({ length: 60 }, (_, index) => 60 + 10 * index);

	/** Returns summaries of several sizes of a session in which the agent says `ferry` and then `next`. */
	function summariesOf(next: string): string[] {
		const sources = [user(1, 'Find the crash.'), assistant(2, `${ferry}\n\n${next}`)];
		const views = budgets.map((tokens) => summaryOf(sources, tokens));
		return views.filter((text) => text.includes(ferry.slice(0, 60)));
	}

	it.each([
		['But the harbour', 'is long and the ships wait there, '],
		['However, the harbour', 'is long and the ships wait there, '],
		['Wait, the harbour', 'is long and the ships wait there, '],
		['Actually, the harbour', 'is long and the ships wait there, '],
		['Aber der Hafen', 'ist lang und die Schiffe warten dort, '],
		['但是港口', '很长而且船只在那里等待，'],
		['しかし港', 'は長くて船がそこで待っています、'],
	])('a shown sentence is followed by the next one if that limits it: %s', (opening, words) => {
		const shown = summariesOf(`${opening} ${words.repeat(14)}${words.trim()}.`);
		expect(shown.length).toBeGreaterThan(0);
		for (const text of shown) expect(text).toContain(opening);
	});

	it.each([
		['This means the harbour 17 is missing in', 'This is likely a lock of the table: '],
		['So the harbour 17 is missing in', 'More likely, the table is locked: '],
		['所以港口 17 不存在于', '这很可能是表被锁定：'],
	])('a conclusion is followed by the likely cause that the next sentence names: %s', (opening, cause) => {
		const conclusion = `${opening} \`harbours\` of the table of ferries, because the fetch found nothing.`;
		const next = `${cause}${'the quay holds it and waits, '.repeat(14)}until it opens.`;
		const sources = [user(1, 'Find the crash.'), assistant(2, `${conclusion} ${next}`)];
		const views = budgets.map((tokens) => summaryOf(sources, tokens));
		const shown = views.filter((text) => text.includes(opening));
		expect(shown.length).toBeGreaterThan(0);
		for (const text of shown) expect(text).toContain(cause.slice(0, -2));
	});

	it('a likely cause after a sentence that concludes nothing is no correction', () => {
		const next = `This is likely a lock of the table: ${'the quay holds it, '.repeat(14)}until it opens.`;
		for (const text of summariesOf(next)) expect(text).not.toContain('(then: ');
	});

	it.each([
		'But first, let me read the port.',
		'However, I think it’s best to write all of the port again.',
		"But it's probably safer to fill the table of the quay later.",
		'However, I might still need to open the port by hand.',
		'Wait, let me test this theory.',
		'But is the table filled at night?',
		'Waiting ships stay in the harbour until the table of ferries is filled by the port.',
	])('a sentence has no mark if the next one limits nothing: %s', (next) => {
		for (const text of summariesOf(next)) expect(text).not.toMatch(/then: |later, in #|but see #/);
	});

	it.each([
		['Wait, `openPort` runs after the first ship.', ' (but see #5)'],
		['Wait, I look for the quay.', ''],
	])('the start of the next message may correct the last one: %s', (next, mark) => {
		const said = 'The table of ferries is filled in `openPort`, before any ship arrives.';
		expect(summaryAfter(next, said)).toContain(`${said}${mark}\n`);
	});

	it('only the nearest sentence is marked if a correction names nothing', () => {
		const text = summaryAfter(
			'My earlier guess about the missing harbour file was incorrect.',
			'The harbour file is missing in the folder, so the import stops.',
		);
		expect(text).toContain('so the import stops. (but see #5)');
		expect(text.match(/but see #/g)).toHaveLength(1);
	});

	it.each([
		"no, that's not the cause, the harbour exists",
		"That's wrong, harbour 17 has a name.",
		'Nein, das ist nicht die Ursache.',
		'不对，港口 17 存在',
		'違います、17番の港は存在します',
		'it still crashes with the same message',
		'i undid your changes, try again',
		'Das funktioniert immer noch nicht',
		'还是报错',
		'still 0!',
		'i meant the harbour in the south',
		"I don't think that's it, the harbour exists",
		'Ich meinte den Hafen im Süden',
	])("an answer of the agent has the user's objection: %s", (words) => {
		const text = summaryOf([
			user(1, 'Find the crash.'),
			assistant(2, other),
			user(3, 'And the harbours?'),
			assistant(4, claim),
			user(5, words),
			assistant(6, 'I look again.'),
		]);
		expect(text).toContain(`[#4, user in #5: ${words}] ${claim}`);
		expect(text).toContain(`[#2] ${other}`);
	});

	it('a no to the question at the end of an answer is no objection', () => {
		const text = summaryOf([
			user(1, 'Find the crash.'),
			assistant(4, `${claim} Do you want a list of the harbours?`),
			user(5, 'No. I prefer the figures.'),
		]);
		expect(text).toContain(`[#4] ${claim}`);
	});

	it.each([
		[
			'I would recommend one row for each pier, because the harbour is small.\n\nDo you agree?',
			'no, one row for each berth',
		],
		[
			'I suggest one row for each pier, because the harbour is small.\n\nWhat do you think?',
			'I prefer one row for each berth.',
		],
		[
			'I propose one row for each pier, because the harbour is small.\n\nShall I go with that?',
			'Use one row for each berth instead.',
		],
		[
			'Ich schlage eine Zeile je Steg vor, weil der Hafen klein ist.\n\nWas denkst du?',
			'Wir sollten je Liegeplatz zählen.',
		],
		['我倾向于每个码头一行，因为港口很小，而且每天的船只不多。\n\n你觉得呢？', '我们应该每个泊位一行'],
		[
			'港が小さいので、桟橋ごとに一行を提案します。\n\nいかがでしょうか？',
			'桟橋ではなく、停泊位ごとにしてください',
		],
	])('a proposal has the other choice of the user: %s', (proposal, words) => {
		const settled = 'Decided: The flags of the ships are listed in a table of their own.';
		const said = `${settled}\n\n${proposal}`;
		const text = summaryOf([user(1, 'Count the ships.'), assistant(2, said), user(3, words)]);
		expect(text).toContain(`${proposal.split(/\n| (?=Do)/)[0]} (user in #3: ${words})`);
		expect(text).toContain(`[#2] ${settled}\n`);
	});

	it.each([
		'yes, use it instead of the old rows',
		'we should also have a title',
		'好，我们应该这样做',
		'Should it be one row for each berth?',
		'fine',
	])('a proposal has no objection of a user who may agree: %s', (words) => {
		const proposal =
			'I suggest one row for each pier of the small harbour in the south.\n\nWhat do you think?';
		const text = summaryOf([user(1, 'Count the ships.'), assistant(2, proposal), user(3, words)]);
		expect(text).not.toContain('user in #3');
	});

	it('a message of a web page’s console after the user’s words is no objection', () => {
		const page = 'main-4f2a.js?v=1:6 Two clients were found. It is not an error, but avoid this.';
		const summaryFor = (words: string): string =>
			summaryOf([user(1, 'Find the crash.'), assistant(4, claim), user(5, `${words} ${page}`)]);
		expect(summaryFor('It opens, see the console:')).toContain(`[#4] ${claim}`);
		expect(summaryFor('It still has issues, see the console:')).toContain(
			`[#4, user in #5: It still has issues, see the console:] ${claim}`,
		);
	});

	it('a refusal is shown with the sentence after it', () => {
		const text = summaryOf([
			user(1, 'Find the crash.'),
			assistant(4, claim),
			user(5, 'No. The harbour is not read at all.\nLook at the tide.'),
		]);
		expect(text).toContain(`[#4, user in #5: No. The harbour is not read at all.] ${claim}`);
	});

	it.each([
		'no problem, go on',
		'Is it still failing?',
		'We still need the other harbours.',
		'We still need 3 harbours.',
		'I meant to ask for the tide, too.',
		'nothing else, thanks',
		"I don't think that's urgent, go on",
	])('an answer of the agent has no objection of a user who says: %s', (words) => {
		const text = summaryOf([user(1, 'Find the crash.'), assistant(2, claim), user(3, words)]);
		expect(text).toContain(`[#2] ${claim}`);
	});

	it.each([
		["I don't think that's it. I hold down a key and it records", true],
		['No, something else', false],
		['It is not under version control.', false],
		["I don't think that's the right moment, but go on", false],
	])(
		'after a question, the user objects to the rest of the message, unless he answers no: %s',
		(words, objects) => {
			const said = `${claim}\n\nWhich harbour do you mean?`;
			const text = summaryOf([user(1, 'Find the crash.'), assistant(2, said), user(3, words)]);
			expect(text.includes('[#2, user in #3')).toBe(objects);
		},
	);

	it('the real cause of another problem corrects nothing', () => {
		const text = summaryAfter(
			'The real issue is that the rendered page is cut off.',
			'The issue is that the server uses the old lock of its process.',
		);
		expect(text).not.toMatch(/old lock.*(?:later, in|but see)/);
	});

	const report = {
		...user(5, 'Applied edit to src/pier.ts\nCommit a1b2c3d fix: Find it'),
		role: 'system' as const,
	};

	it('a report of the program and a command may stand before an objection', () => {
		const text = summaryOf([
			user(1, 'Find the crash.'),
			assistant(4, claim),
			report,
			user(6, '/add src/harbour.ts'),
			user(7, 'it still crashes'),
		]);
		expect(text).toContain(`[#4, user in #7: it still crashes] ${claim}`);
	});

	it('an objection after another message of the user does not concern the answer before that message', () => {
		const text = summaryOf([
			user(1, 'Find the crash.'),
			assistant(4, claim),
			user(6, 'Now look at the tide.'),
			user(7, 'it still crashes'),
		]);
		expect(text).not.toContain('#4, user in #7');
	});

	it('the cost of many corrections in each message grows linearly', () => {
		const growth = costGrowth(25, (count) => {
			const lines = Array.from({ length: count }, (_, no) => `I was wrong about \`row${no}\`: it has a key.`);
			summaryOf(
				Array.from({ length: 40 }, (_, index) => assistant(index + 1, lines.join('\n'))),
				2000,
			);
		});
		expect(growth).toBeLessThan(maxLinearGrowth);
	});

	it('the cost of corrections grows linearly', () => {
		const growth = costGrowth(100, (count) => {
			const talk = Array.from({ length: count }, (_, index) =>
				assistant(index + 1, `I was wrong about \`row${index % 7}\`: ${'it keeps every row. '.repeat(20)}`),
			);
			summaryOf(talk, 2000);
		});
		expect(growth).toBeLessThan(maxLinearGrowth);
	});

	it('the real cause corrects only sentences about a cause or a solution', () => {
		const said = 'Next, `readZones` would restore the rows of harbour 17 and the order of the list.';
		const later = 'The real solution is already there: `readZones` can see the whole list of harbour 17.';
		expect(summaryAfter(later, said)).not.toMatch(/would restore.*(?:later, in|but see)/);
		expect(summaryAfter(later, `The problem is that ${said}`)).toMatch(
			/would restore.*(?:later, in|but see)/,
		);
	});
});
