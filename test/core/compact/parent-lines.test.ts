import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOutline } from '../../../server/core/analysis/text/outline.ts';
import type { SummaryEntry } from '../../../server/core/compact/summary/entries.ts';
import { addParentLines } from '../../../server/core/compact/summary/parentLines.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { assistant, call, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

/** Returns each line with the lines that it is under, innermost first: `leaf < branch < root`. */
function outlineOf(text: string): string[] {
	return readOutline(text).map((line) => {
		const names: string[] = [];
		for (let one: typeof line | undefined = line; one; one = one.parent) names.push(one.text);
		return names.join(' < ');
	});
}

/** Returns what a summary shows of some lines of a message, which are chosen by their number. */
function shownOf(text: string, ...chosen: number[]): string {
	const lines = text.split('\n');
	const startOf = (index: number): number => lines.slice(0, index).join('\n').length + Math.min(index, 1);
	const entries = chosen.map(
		(index): SummaryEntry => ({
			seq: 1,
			order: index,
			section: 'events',
			label: '[#1]',
			text: (lines[index] ?? '').trim(),
			span: { from: startOf(index), to: startOf(index) + (lines[index] ?? '').length },
			isOnNewLine: true,
		}),
	);
	const placed = addParentLines(entries, new Map([[1, assistant(1, text)]]));
	return placed
		.toSorted((a, b) => a.order - b.order)
		.map((entry) => entry.text.replaceAll('\n ', '\n'))
		.join('\n');
}

const ferries = [
	'1. **Morning ferry:**',
	'   - **Outbound:**',
	'     - Departs 08:10',
	'     - Costs 40 euros',
	'   - **Return:**',
	'     - Departs 12:30',
	'2. **Evening ferry:**',
	'   - **Outbound:**',
	'     - Departs 18:45',
	'     - Costs 25 euros',
	'',
	'Which one shall I book?',
].join('\n');

describe('the lines that a line is under', () => {
	it('nested list items are under the items above them', () => {
		expect(outlineOf('- a\n  - b\n    - c\n  - d\n- e')).toEqual([
			'- a',
			'- b < - a',
			'- c < - b < - a',
			'- d < - a',
			'- e',
		]);
	});

	it.each([
		[
			'headings',
			'## A\n- x\n### B\n- y\n## C\n- z',
			['## A', '- x < ## A', '### B < ## A', '- y < ### B < ## A', '## C', '- z < ## C'],
		],
		['bold headings', '**A**\n- x\n**B:**\n- y', ['**A**', '- x < **A**', '**B:**', '- y < **B:**']],
		[
			'introductions',
			'Done:\n- x\nOpen:\n- y\nThat is all.',
			['Done:', '- x < Done:', 'Open:', '- y < Open:', 'That is all.'],
		],
		[
			'introductions in Japanese',
			'完了：\n- 甲\n未完了：\n- 乙',
			['完了：', '- 甲 < 完了：', '未完了：', '- 乙 < 未完了：'],
		],
		[
			'a paragraph after the list of a bold heading',
			'**A**\n- x\n\nBoth work.',
			['**A**', '- x < **A**', 'Both work.'],
		],
		[
			'text right below a bold heading',
			'**A**\nIt works.\n- x',
			['**A**', 'It works. < **A**', '- x < **A**'],
		],
		[
			'a list below a numbered line that introduces it',
			'1. Fix:\n- x\n2. Test',
			['1. Fix:', '- x < 1. Fix:', '2. Test'],
		],
		['a list below a numbered line that stands alone', '1. Fix\n- x', ['1. Fix', '- x']],
		['rows of a table', '## A\n| x | y |\n| 1 | 2 |', ['## A', '| x | y | < ## A', '| 1 | 2 | < ## A']],
		['fenced code', 'Run:\n```\n- x\n# y\n```\n- z', ['Run:', '- x < Run:', '# y < Run:', '- z < Run:']],
		['code within code', '## A\n````md\n~~~\n```\n# B\n```\n````\n- x', ['## A', '# B < ## A', '- x < ## A']],
		[
			'titles without a colon',
			'## A\n✅ **Done**\n- x\n\nNot done yet\n----\n| y |',
			[
				'## A',
				'✅ **Done** < ## A',
				'- x < ✅ **Done** < ## A',
				'Not done yet < ## A',
				'| y | < Not done yet < ## A',
			],
		],
		['lists after a sentence', '## A\nIt works.\n- x', ['## A', 'It works. < ## A', '- x < ## A']],
		['more text of an item', '- a\n  from pier 3\n  - b', ['- a', 'from pier 3 < - a', '- b < - a']],
	])('%s are found', (_, text, expected) => expect(outlineOf(text)).toEqual(expected));

	it.each([
		[
			'nested items',
			Array.from({ length: 1500 }, (_, index) => `${' '.repeat(index)}- item ${index}`).join('\n'),
		],
		['headings', '# a\n'.repeat(200_000)],
		['one long line', `- ${'**a: '.repeat(300_000)}`],
		['colons', `${':'.repeat(500_000)} x`],
	])('an outline of many %s is read quickly', (_, text) => {
		const spent = processorClock();
		readOutline(text);
		expect(spent()).toBeLessThan(5000 * machineSlowness());
	});
});

describe('items of a list in a summary', () => {
	it('an item that would seem to belong to the item above it begins with its own parents', () => {
		expect(shownOf(ferries, 0, 2, 8)).toBe(
			'1. **Morning ferry:**\n- **Outbound:**\nDeparts 08:10\n2. **Evening ferry:**\n- **Outbound:**\nDeparts 18:45'.replaceAll(
				'\nDeparts',
				'\n- Departs',
			),
		);
	});

	it('further text of an item that would seem to belong to another item begins with its own item', () => {
		const text =
			'Open:\n• Berth R-17 — paid\n    Boats: Heron, Teal\n• Berth R-18 — unpaid\n    Boats: Wigeon, Smew';
		expect(shownOf(text, 1, 4)).toBe(
			'Open:\n• Berth R-17 — paid\n• Berth R-18 — unpaid:\nBoats: Wigeon, Smew',
		);
		expect(shownOf(text, 1, 2)).toBe('Open:\n• Berth R-17 — paid\nBoats: Heron, Teal');
	});

	it('a later sentence of an item begins with its own item if the first sentence is left out', () => {
		const text = [
			'- **Northern pier** — open. It needs a lamp.',
			'- **Southern pier** — closed. It needs a rail.',
		].join('\n');
		const entryOf = (words: string): SummaryEntry => {
			const from = text.lastIndexOf('\n', text.indexOf(words)) + 1;
			return {
				...{ seq: 1, order: text.indexOf(words), section: 'events', label: '[#1]', text: words },
				span: { from, to: from + 45 },
				isOnNewLine: words.startsWith('-'),
			};
		};
		const shownWords = (...all: string[]): string[] =>
			addParentLines(all.map(entryOf), new Map([[1, assistant(1, text)]])).map((one) => one.text);
		expect(shownWords('- **Northern pier** — open.', 'It needs a rail.')).toEqual([
			'- **Northern pier** — open.',
			'- **Southern pier**: …\n It needs a rail.',
		]);
		expect(shownWords('It needs a lamp.', 'It needs a rail.')[0]).toBe('It needs a lamp.');
		expect(shownWords('- **Southern pier** — closed.', 'It needs a rail.')).toEqual([
			'- **Southern pier** — closed.',
			'It needs a rail.',
		]);
	});

	it('a parent is shown once', () => {
		expect(shownOf(ferries, 0, 2, 8, 9).match(/Evening/g)).toHaveLength(1);
	});

	it('an item begins with the number or id of what it describes', () => {
		const text = [
			'1. **First leg:**',
			'   - **Ferry number:** K17',
			'   - Departs 08:10',
			'2. **Second leg:**',
			'   - Order ID: #W4821',
			'   - Departs 12:30',
			'3. **Third leg:**',
			'   - Departs 18:45',
			'   - Booking ID: 77',
		].join('\n');
		expect(shownOf(text, 2, 5)).toBe(
			'1. **First leg:**\n- **Ferry number:** K17\n- Departs 08:10\n2. **Second leg:**\n- Order ID: #W4821\n- Departs 12:30',
		);
		expect(shownOf(text, 1, 2)).toBe('1. **First leg:**\n- **Ferry number:** K17\n- Departs 08:10');
		expect(shownOf(text, 7)).toBe('3. **Third leg:**\n- Departs 18:45');
	});

	it('an item is shown alone if its parents are shown', () => {
		expect(shownOf(ferries, 6, 7, 8)).toBe('2. **Evening ferry:**\n- **Outbound:**\n- Departs 18:45');
	});

	it('an item that is the first shown line of its message begins with its parents', () => {
		expect(shownOf(ferries, 8)).toBe('2. **Evening ferry:**\n- **Outbound:**\n- Departs 18:45');
		expect(shownOf('We sail at noon.\nThe pier is open.', 1)).toBe('The pier is open.');
	});

	it('an introduction of several sentences is shortened to the last one', () => {
		const text = 'I read the ledger of the harbour. These berths are free:\n1. B-7\n2. B-9';
		expect(shownOf(text, 2)).toBe('These berths are free: …\n2. B-9');
		const japanese = '台帳を読みました。空きは次の通りです：\n1. B-7\n2. B-9';
		expect(shownOf(japanese, 2)).toBe('空きは次の通りです： …\n2. B-9');
	});

	it('a sentence after a list gets no heading', () => {
		expect(shownOf(ferries, 0, 2, 11)).toBe(
			'1. **Morning ferry:**\n- **Outbound:**\n- Departs 08:10\nWhich one shall I book?',
		);
	});

	it.each([
		[
			'without its first items',
			4,
			'Two problems remain: …\n2. `pier.ts` is not written: …\n- the totals are missing',
		],
		[
			'with the item before it',
			3,
			'Two problems remain: …\n2. `pier.ts` is not written:\n- the rows are missing',
		],
	])('a list that is shown %s has a mark where items are omitted', (_, line, expected) => {
		const text = `Two problems remain:\n1. \`tide.ts\` is empty.\n2. \`pier.ts\` is not written:\n   - the rows are missing\n   - the totals are missing`;
		expect(shownOf(text, line)).toBe(expected);
	});

	it('items under different introductions are separated', () => {
		const text = 'These tests pass:\n- rows\n- cells\n\nThese tests fail:\n- sums\n- totals';
		expect(shownOf(text, 1, 6)).toBe('These tests pass:\n- rows\nThese tests fail: …\n- totals');
	});

	it.each(['## Faults found', '**Faults found**'])(
		'an item below other words begins with its heading: %s',
		(heading) => {
			const report = [
				'The build passes.',
				'',
				heading,
				'- The quay list was empty at night.',
				'- The fares ignored children.',
			].join('\n');
			expect(shownOf(report, 0, 4)).toBe(
				`The build passes.\n${heading.replace('## ', '')}:\n- The fares ignored children.`,
			);
		},
	);

	it('a bold name with a colon gets no second one', () => {
		const report = '- Kept\n- **Lines:** 86 to 90, which compute the fares\n  - no children';
		expect(shownOf(report, 0, 2)).toBe('- Kept\n- **Lines**:\n- no children');
	});

	it("items of a user's list begin with what introduces them", () => {
		const list = (subject: string): string[] =>
			['quays', 'ferries', 'tickets', 'berths'].map(
				(name) => `- ${subject} ${name}, as in ${subject}/${name}.ts`,
			);
		const request = [
			'Go through the whole booking of the harbour and make it ready for the summer season.',
			'Search for:',
			...list('empty'),
			'Change the wording from:',
			...list('local'),
			'To the wording of the region:',
			...list('regional'),
		].join('\n');
		const sources = [user(1, request), assistant(2, 'I begin.'), user(3, 'Go on.'), assistant(4, 'I go on.')];
		for (let budget = 60; budget <= 260; budget += 10) {
			const lines = summaryOf(sources, budget)
				.split('\n')
				.map((line) => line.trim());
			for (const [first, introduction] of [
				['- local', 'Change the wording from:'],
				['- regional', 'To the wording of the region:'],
			]) {
				const at = lines.findIndex((line) => line.includes(`${first} `));
				if (at >= 0) expect(lines.slice(0, at).join('\n')).toContain(introduction);
			}
		}
	});

	it('items under titles without a colon are separated', () => {
		const text = '## Tests\n✅ **Passing**\n- rows\n- cells\n\n❌ **Failing**\n- sums\n- totals';
		expect(shownOf(text, 1, 2, 7)).toBe('✅ **Passing**\n- rows\n❌ **Failing**: …\n- totals');
	});

	it('the item above a block of code is shown if only the code was chosen', () => {
		const text = '- Before:\n```\nsum(a)\n```\n- After:\n```\nsum(b)\n```';
		expect(shownOf(text, 0, 2, 6)).toBe('- Before:\nsum(a)\n- After:\nsum(b)');
	});

	it('quoted lines around a line that the summary shows anyway are shown before and after it', () => {
		const text =
			'Do not run this:\n```bash\nrm -rf /srv/rows-7\n```\nRun this:\n```bash\nmv /srv/rows-7 /srv/rows-8\n```\n\nWorking\n- login on port 8080\n- export to rows.csv\n\nNot working\n- logout on port 8081\n- import of cells.csv';
		const sources = [user(1, 'Report it.'), assistant(2, text), user(3, 'ok'), assistant(4, 'It is done.')];
		const lines = text.split('\n').filter((line) => /^[^`]/.test(line));
		for (let budget = 50; budget < 200; budget += 10) {
			const shown = summaryOf(sources, budget)
				.split('\n')
				.flatMap((line) => {
					const at = lines.indexOf(line.replace(/^\[#2\]| …$/g, '').trim());
					return at < 0 ? [] : [at];
				});
			expect(shown).toEqual(shown.toSorted((a, b) => a - b));
			if (shown.includes(1) && shown.includes(3)) expect(shown).toContain(2);
		}
	});

	it('a heading is not quoted next to a text that names it', () => {
		const text =
			'## Summary\n\nThe importer works.\n\n### Not changed\n\n| File | Reason |\n|---|---|\n| src/sums.ts | made by gen.ts |\n| src/totals.ts | owned by team 7 |';
		const sources = [user(1, 'Report it.'), assistant(2, text), user(3, 'ok'), assistant(4, 'It is done.')];
		for (let budget = 50; budget < 200; budget += 10)
			expect(summaryOf(sources, budget).split('Not changed').length).toBeLessThan(3);
	});

	it('a long parent is shortened to its bold name or its first words', () => {
		const named = `- Kept\n- **Dropped columns** because ${'nobody reads them and '.repeat(9)}\n  - price`;
		expect(shownOf(named, 0, 2)).toBe('- Kept\n- **Dropped columns**:\n- price');
		const plain = `- Kept\n- Dropped because ${'nobody reads them and '.repeat(9)}\n  - price`;
		expect(shownOf(plain, 0, 2)).toMatch(/^- Kept\n- Dropped because [a-z ]{20,70} …\n- price$/);
	});

	it('a line that a summary could take for its own heading is escaped in a parent', () => {
		const text = '- a\n## Plan\n- [#3] b\n  - c';
		expect(shownOf(text, 0, 3)).toContain('- \\[#3] b');
	});

	it('lines are shown in the order of the message, however they were chosen', () => {
		const lines = Array.from({ length: 30 }, (_, index) => `- line ${index}`);
		fc.assert(
			fc.property(fc.uniqueArray(fc.nat(29), { minLength: 2 }), (chosen) => {
				const text = shownOf(lines.join('\n'), ...chosen);
				expect(text.split('\n')).toEqual(chosen.toSorted((a, b) => a - b).map((index) => lines[index]));
			}),
		);
	});

	it.each([
		['the text of an answer', (text: string) => [assistant(2, text)]],
		['text before calls', (text: string) => [assistant(2, text, call('Bash', { command: 'make' }))]],
		[
			'text after thinking',
			(text: string) => {
				const thought = 'The user wants both tables.\n';
				return [{ ...assistant(2, `${thought}${text}`), thoughtLength: thought.length }];
			},
		],
	])('values of two tables are not mixed in %s', (_, build) => {
		const colors = (theme: string): string =>
			[
				`**${theme} theme:**`,
				`- \`${theme}Accent\`: the accent of the ${theme} theme, because it is seen first`,
				'- plain',
				`- \`${theme}Gray\`: not changed, since the ${theme} theme had it already`,
			].join('\n');
		const sources = [
			user(1, 'Set the colors.'),
			...build(`${colors('dark')}\n\n${colors('light')}`),
			user(9, 'Thanks!'),
		];
		for (const budget of [60, 80, 100, 120, 150, 200]) {
			const text = sectionIn(summaryOf(sources, budget), 'events');
			const [dark = '', light = ''] = text.split('**light theme:**');
			expect(dark).not.toContain('lightGray');
			expect(light).not.toContain('darkGray');
		}
	});
});

it('a sentence does not follow the line above if the beginning of its own line is left out', () => {
	const text = 'The ferry is late.\nThe tide is low. So the guests wait.';
	const span = { from: 19, to: text.length };
	const common = { seq: 1, section: 'events', label: '[#1]' } as const;
	const above: SummaryEntry = {
		...common,
		order: 0,
		text: 'The ferry is late.',
		span: { from: 0, to: 18 },
		isOnNewLine: true,
	};
	const ordersWith = (...others: SummaryEntry[]): number[] =>
		addParentLines([above, ...others], new Map([[1, assistant(1, text)]])).map(({ order }) => order);
	const first: SummaryEntry = { ...common, order: 1, text: 'The tide is low.', span, isOnNewLine: true };
	const second: SummaryEntry = { ...common, order: 2, text: 'So the guests wait.', span, isOnNewLine: false };
	expect(ordersWith(first, second)).toEqual([2, 3, 4]);
	expect(ordersWith(second)).toEqual([2, 4]);
});
