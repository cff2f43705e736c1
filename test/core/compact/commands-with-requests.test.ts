import { describe, expect, it } from 'vitest';
import { assistant, readMessage } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const brief =
	'These folders hold the timetables of three ferry lines. Compare the winter and the summer timetable of each line. Then list every crossing that only one of them has, with its days. '.repeat(
		3,
	);
const command = (args: string): string =>
	`<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>\n${args}\n</command-args>`;

describe('a command of Claude Code with a long request', () => {
	it('counts as a request of the user', () => {
		const text = summaryOf([readMessage(1, 'user', command(brief)), assistant(2, 'I will compare them.')]);
		expect(text).toMatch(/^Goal \(#1\): These folders hold the timetables/m);
		expect(text).not.toContain('<command-');
	});

	it('does not count if the command concerns the window of the agent', () => {
		const text = summaryOf([
			readMessage(1, 'user', 'Sort the crossings.'),
			readMessage(2, 'user', command(brief).replaceAll('plan<', 'compact<').replace('/plan', '/compact')),
			assistant(3, 'Sorted.'),
		]);
		expect(text).toContain('Goal (#1): Sort the crossings.');
		expect(text).not.toContain('Current request');
	});
});

describe('a command of Claude Code that sets something', () => {
	it('is not among the words of the user, although it has an argument', () => {
		const model =
			'<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>opus</command-args>';
		const text = summaryOf([
			readMessage(1, 'user', model),
			readMessage(2, 'user', 'Sort the crossings.'),
			assistant(3, 'Sorted.'),
		]);
		expect(text).not.toContain('/model');
	});
});
