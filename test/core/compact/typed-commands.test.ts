import { describe, expect, it } from 'vitest';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns a typed command as Claude Code writes it. */
function typed(name: string, args = ''): string {
	return `<command-name>/${name}</command-name>\n   <command-message>${name}</command-message>\n   <command-args>${args}</command-args>`;
}

describe("commands of the agent's program", () => {
	it.each([
		['compact', 'keep the port table'],
		['plans:check', 'only the dates'],
		['fix-issue', 'ports where a < b, then 8443'],
	])('the user typed /%s %s', (name, args) => {
		const text = summaryOf([user(1, 'Go on.'), user(2, typed(name, args)), assistant(3, 'Fine.')]);
		expect(text).toContain(`[#2 user] /${name} ${args}`);
	});

	it('an injected text that begins with a path is not a command', () => {
		const note = '/srv/ports was changed by the linter.';
		const text = summaryOf([user(1, 'Go on.'), user(2, note, { isInjected: true }), assistant(3, 'Fine.')]);
		expect(text).toContain(`[#2 injected] ${note}`);
	});

	it('words after a command stay with it', () => {
		const text = summaryOf([user(2, `${typed('plans:check')}\nOnly the dates.`), assistant(3, 'Fine.')]);
		expect(text).toContain('Only the dates.');
	});

	it('the goal is the first request in words, not a command without arguments before it', () => {
		const text = summaryOf([
			user(1, typed('plans:sketch')),
			assistant(2, 'What do you want to plan?'),
			user(3, 'Give every booking an end date.'),
			assistant(4, 'Reading the bookings.'),
			user(5, 'Now add the date to the export.'),
			assistant(6, 'Reading the export.'),
		]);
		expect(text).toContain('Goal at the start (#3): Give every booking an end date.');
	});
});
