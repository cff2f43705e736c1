import { describe, expect, it } from 'vitest';
import { splitPastedOutput } from '../../../server/core/analysis/message/pasted.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { headOf, sectionIn, summaryOf } from './summaries.ts';

const rule = 'Never list more than five berths in one answer.';
const filler = 'Read the table of the tides and count the ferries of each pier in it. '.repeat(12);

/** Returns a message that a client made from a command's template. */
const expand = (
	input: string,
	template = `Goal: Chart the berths of the harbour.\n\n${filler}\n\n- ${rule}`,
) =>
	`\n## User Input\n\n\`\`\`text\n${input}\n\`\`\`\n\nYou **MUST** consider the user input before proceeding (if not empty).\n\n## Outline\n\n${template}\n`;
const formats: readonly [string, (text: string) => string][] = [
	['as it is', (text) => text],
	['with a front matter', (text) => `---\ndescription: Chart the harbour\n---\n${text}`],
	['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
];

describe.each(formats)('a template of a command, %s', (_, format) => {
	const command = user(1, format(expand('only the north pier')));
	const answered = assistant(2, 'Charted. Which pier comes next?');

	it('is not what the user said, unlike the words in its block', () => {
		const later = [answered, user(3, 'Now print the chart of the ferries on paper.'), assistant(4, 'Done.')];
		const words = sectionIn(summaryOf([command, ...later], 3000), 'userWords');
		expect(words).toContain('[#1 user] only the north pier\n');
		expect(words).not.toMatch(/tides|berths/);
	});

	it('states rules until a later request, not until an answer', () => {
		const answer = [answered, user(3, 'south'), assistant(4, 'Charted.')];
		expect(summaryOf([command, ...answer], 3000)).toContain(rule);
		const request = user(5, 'Now print the chart of the ferries on paper.');
		expect(summaryOf([command, ...answer, request, assistant(6, 'Done.')], 3000)).not.toContain(rule);
	});

	it('states the rules of its last run', () => {
		const again = user(3, format(expand('only the south pier')));
		expect(summaryOf([command, answered, again, assistant(4, 'Charted.')], 3000)).toContain(rule);
	});
});

it('a command is a request of its own, also while the agent works', () => {
	const made = call('list_berths', { pier: 'north' });
	const later = [assistant(2, 'I list them.', made), result(3, made, '12 berths')];
	const [, current] = headOf(user(1, 'Count the ferries.'), ...later, user(4, expand('south')));
	expect(current).toBe('Current request (#4): south');
});

it('a rule in the words that the user added to a command holds for later requests', () => {
	const words = 'Only the north pier. Never rename the file of the berths.';
	const later = [assistant(2, 'Charted.'), user(3, 'Now print the chart on paper.'), assistant(4, 'Done.')];
	expect(summaryOf([user(1, expand(words)), ...later], 3000)).toContain('Hands off: Never rename the file');
});

it.each([
	['its line about the goal', 'Goal: Chart the berths.\n\n1. Read the tides.', 'Chart the berths.'],
	['the heading of its goal', '## Goal\n\nChart the berths.\n\n## Steps', 'Chart the berths.'],
	['the step that does the work', '1. Read.\n\n2. **Execute the chart**: Follow', 'Execute the chart'],
	['its first sentence', 'You are charting the berths.\n\n1. Read.', 'You are charting the berths. …'],
])('the goal of a command without words of the user is %s', (_, template, goal) => {
	for (const input of ['', '$ARGUMENTS'])
		expect(headOf(user(1, expand(input, template)), assistant(2, 'Yes.'))[0]).toBe(`Goal (#1): ${goal}`);
});

it('lines of a template without words of the user are background', () => {
	const text = summaryOf([user(1, expand('')), assistant(2, 'Charted.'), user(3, 'yes')], 3000);
	expect(sectionIn(text, 'background')).toContain('Read the table of the tides');
	expect(sectionIn(text, 'userWords')).not.toContain('tides');
});

it('a block of code in the words that the user added belongs to them', () => {
	const words = 'Fix this:\n```sh\nchart --all\n```\nand keep the names.';
	expect(splitPastedOutput(expand(words))[0]).toMatchObject({ text: words });
});

describe('the template of a command that is over', () => {
	const steps = `Goal: Chart the harbour.\n\nMeasure the depth at each of the berths with the lead line.\n\n${filler}`;
	const typed = '<command-message>chart</command-message>\n<command-name>/chart</command-name>';
	const skill = call('Skill', { skill: 'chart' });
	const inserted = (text: string) => user(3, text, { isInjected: true });
	const runs: readonly [string, (text: string) => Source[]][] = [
		['in a typed message', (text) => [user(1, expand('', text))]],
		['behind a typed command', (text) => [user(2, typed, { isInjected: true }), inserted(text)]],
		[
			'behind a call that loads it',
			(text) => [user(1, 'Chart it.'), assistant(1, '', skill), result(2, skill, 'Loading'), inserted(text)],
		],
	];
	const answered = assistant(4, 'Charted. Nothing is missing.');
	const request = user(5, 'Now print the list of the ferries on paper.');

	it.each(runs)('is left out %s', (_, run) => {
		const current = summaryOf([...run(steps), answered], 3000);
		expect(current).toContain('depth at each of the berths');
		const text = summaryOf([...run(steps), answered, request, assistant(6, 'Printed.')], 3000);
		expect(text).not.toMatch(/depth at each|tides|MUST/);
	});

	it('is left out if it is short', () => {
		const run = [user(2, typed, { isInjected: true }), inserted('Measure the depth at each of the berths.')];
		expect(summaryOf([...run, answered], 3000)).toContain('depth');
		const text = summaryOf([...run, answered, request, assistant(6, 'Printed.')], 3000);
		expect(text).not.toContain('depth');
		expect(text).toContain('/chart');
	});
});

it('lines of the template of the current command are labelled as such', () => {
	const text = summaryOf([user(1, expand('', `Goal: Chart it.\n\n${filler}`)), assistant(2, 'Done.')], 3000);
	expect(sectionIn(text, 'userWords') ?? '').not.toContain('ferries');
	expect(text).toMatch(/\[#1 command template\] [^[]*ferries/);
});
