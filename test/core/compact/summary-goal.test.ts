import { describe, expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { headOf, summaryOf } from './summaries.ts';

describe('the goal in the head of a summary', () => {
	const prompt = '\n\n(Open file: n/a)\n(Current directory: /srv/app)\nbash-$';
	const details = 'The ferry table loses its last row on Sundays. '.repeat(12);

	it('the goal is the task that follows a demonstration', () => {
		const head = headOf(
			user(1, `Here is a demonstration. ${'It moves a pear. '.repeat(40)}${prompt}\nsubmit\n--- END ---`),
			user(2, `Fix the ferry table. ${details}${prompt}`),
			assistant(3, 'I look at it.'),
		);
		expect(head[0]).toMatch(/^Goal \(#2\): Fix the ferry table\./);
		expect(head.join()).not.toContain('Current request');
	});

	it('the goal does not start with a sentence that only says that an issue follows', () => {
		const [goal] = headOf(
			user(1, 'We are currently solving the following issue in our project. The ferry table loses a row.'),
			assistant(2, 'I look at it.'),
		);
		expect(goal).toBe('Goal (#1): The ferry table loses a row.');
	});

	it('the goal includes the first item of a list that its first sentence introduces', () => {
		const item = 'A button that imports a list of prices, which opens a dialog and stores the file '.repeat(
			3,
		);
		const [goal] = headOf(
			user(1, `Perfect. Then we add to the till:\n\n1. ${item}\n2. A button that exports.`),
			assistant(2, 'Yes.'),
		);
		expect(goal).toMatch(
			/^Goal \(#1\): Perfect\. Then we add to the till: 1\. A button that imports a list of prices/,
		);
	});

	it.each([
		['Can I use the deep gauge?', 'No need, keep it as it is.'],
		['能用深水计吗', '不需要了，保持现状即可'],
		['init', 'hello'],
		['Hello Gull!', 'login'],
	])('the goal is what follows the declined or empty start %s', (first, second) => {
		const [goal] = headOf(
			user(1, first),
			assistant(2, 'It may not fit.'),
			user(3, second),
			assistant(4, 'Fine.'),
			user(5, 'Draw the tides of the north pier.'),
			assistant(6, 'Drawn.'),
			user(7, 'Now print them on paper.'),
			assistant(8, 'Printed.'),
		);
		expect(goal).toBe('Goal at the start (#5): Draw the tides of the north pier.');
	});

	it('a small summary states the goal if another message stays visible in its place', () => {
		const sources = [
			user(1, 'init'),
			assistant(2, 'Ready.'),
			user(3, `Draw the tides of the north pier. ${details}`),
			assistant(4, `${details}The drawing is done.`),
		];
		expect(summaryOf(sources, 300)).toMatch(/^Goal \(#3\): Draw the tides of the north pier\./);
		expect(summaryOf(sources.slice(2), 300)).not.toContain('Goal');
	});

	it('a first request stays the goal if the reply to it only limits it', () => {
		const [goal] = headOf(
			user(1, 'Draw the tides of the north pier.'),
			assistant(2, 'With colours?'),
			user(3, 'No need to colour them, but write the hours below.'),
			assistant(4, 'Drawn.'),
			user(5, 'Now print them.'),
			assistant(6, 'Printed.'),
		);
		expect(goal).toContain('(#1): Draw the tides');
	});

	it('the goal does not start with a ruler', () => {
		const [goal] = headOf(user(1, '---\n\nDraw the tides of the north pier.'), assistant(2, 'Yes.'));
		expect(goal).toBe('Goal (#1): Draw the tides of the north pier.');
	});

	it('the goal is what the tag of a description contains', () => {
		const uploaded =
			'<uploaded_files>\n/srv\n</uploaded_files>\nI uploaded a repository. Consider the description:';
		const described = `${uploaded}\n\n<pr_description>\nThe ferry table loses a row\n\n### What happened?\nIt is short.\n</pr_description>`;
		const [goal] = headOf(user(1, described), assistant(2, 'I look at it.'));
		expect(goal).toContain('The ferry table loses a row');
	});

	it('the goal is what the user added to the prompt of a command', () => {
		const prompt = 'You **MUST** consider the user input before proceeding.';
		const [goal] = headOf(
			user(1, `## User Input\n\n\`\`\`text\ndredge the north pier\n\`\`\`\n\n${prompt}`),
			assistant(2, 'Yes.'),
		);
		expect(goal).toBe('Goal (#1): dredge the north pier');
	});

	it.each([
		[
			'a title of arguments in an issue',
			'Fix the parser of tides.\n\n## Arguments\n\n```\n--pier north\n```',
		],
		['a request in a frame', '│ Fix the parser of tides. │\n\nA berth was cancelled.'],
		['a ruler with a title', '─── Task ───\nFix the parser of tides.\n─── Log ───\na berth was cancelled'],
	])('the goal is the request with %s', (_, request) => {
		const [goal] = headOf(user(1, request), assistant(2, 'Yes.'));
		expect(goal).toContain('Fix the parser of tides.');
	});

	it('a frame around a pasted report is not shown', () => {
		const [goal] = headOf(user(1, '┌─────┐\n│  The pier leaks.  │\n└─────┘'), assistant(2, 'Yes.'));
		expect(goal).toBe('Goal (#1): The pier leaks.');
	});

	it('the goal ends with a mark if a part of the request is missing', () => {
		const request = `Colour the ferries by their harbour. ${'Each harbour has a colour of its own in the table. '.repeat(4)}Leave blue out.`;
		expect(headOf(user(1, request))[0]).toMatch(/^Goal \(#1\): Colour the ferries by their harbour\..*…$/);
		expect(headOf(user(1, 'Colour the ferries. Leave blue out.'))[0]).toBe(
			'Goal (#1): Colour the ferries. Leave blue out.',
		);
	});

	it.each([
		['a short addition', 'Use tabs, please.'],
		['a pasted terminal', `${details}\nme@host:~/app$`],
		['a screen without a task', `Found 3 matches${prompt}`],
	])('the goal is the first request if %s follows', (_, second) => {
		const head = headOf(user(1, 'Fix the login.'), user(2, second), assistant(3, 'I look at it.'));
		expect(head[0]).toBe('Goal at the start (#1): Fix the login.');
	});
});
