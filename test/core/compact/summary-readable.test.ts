import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, call as asks, result as gives, user as say } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

function linesOf(output: string, name = 'Bash', args: unknown = { command: './report' }): string[] {
	const made = call(name, args);
	return summaryOf([user(1, 'Look.'), assistant(2, '', made), result(3, made, output)], 3000).split('\n');
}

describe('results in a summary', () => {
	it('a result is shown without line numbers', () => {
		const code = ['export const port = 8080;', 'export const host = "localhost";'];
		for (const gutter of ['     1→', '1\t', '  1| ', '1-\t\t', '1:    ']) {
			const shown = code.map((line, position) => gutter.replace('1', String(position + 1)) + line).join('\n');
			const lines = linesOf(shown, 'Read', { file_path: 'a.ts' });
			for (const line of code) {
				const found = lines.filter((one) => one.includes(line));
				expect(found.length).toBeGreaterThan(0);
				for (const one of found) expect(one).not.toMatch(/\d(?:→|\t|\||[-:] )/);
			}
		}
	});

	it('a result keeps numbers of its own', () => {
		const own = ['2026-11-23 the backup of host seven was late', '10:30 the backup of host eight began'];
		const lines = linesOf(own.join('\n'));
		for (const line of own) expect(lines.some((one) => one.includes(line))).toBe(true);
	});

	it('a result is shown without the header of its tool', () => {
		const own = ['Process exited with code 1', 'Warning: truncated output (original token count: 28391)'];
		const patch = ['Total output lines: 515', '*** Begin Patch', '*** End Patch'];
		const lines = linesOf([...own, ...patch, 'The disk is full on host backup-7'].join('\n'));
		expect(lines.some((line) => line.includes('The disk is full on host backup-7'))).toBe(true);
		for (const said of [...own, ...patch]) expect(lines.join('\n')).not.toContain(said);
	});

	it('a result is shown without escape sequences', () => {
		const lines = linesOf('\u001b[31mThe disk is full on host backup-7\u001b[0m\u001b[2K\u001b[1G');
		expect(lines.some((line) => line.includes('The disk is full on host backup-7'))).toBe(true);
		expect(lines.join('\n')).not.toContain('\u001b');
	});

	it('the result of an edit is left out', () => {
		const made = call('Edit', { file_path: '/srv/app/garden.ts', old_string: 'a', new_string: 'b' });
		const said = "All occurrences of 'a' in the file were successfully replaced with 'b', as it was asked.";
		const text = summaryOf([user(1, 'Go.'), assistant(2, '', made), result(3, made, said)], 3000);
		expect(text).not.toContain('All occurrences');
		expect(text).toContain('garden.ts');
	});

	it('an empty result of a search becomes an outcome of the call', () => {
		for (const said of ['No files found', 'No matches found.', 'Found 0 files']) {
			const made = call('Grep', { pattern: 'oldGardenName', path: 'src' });
			const text = summaryOf([user(1, 'Go.'), assistant(2, '', made), result(3, made, said)], 3000);
			expect(text).toContain('Grep src oldGardenName → no match');
			expect(text).not.toContain(said);
		}
	});

	it('the result of a search is shown once, with the query', () => {
		const made = call('WebSearch', { query: 'tulip seasons' });
		const text = summaryOf(
			[user(1, 'Go.'), assistant(2, '', made), result(3, made, 'tulips: march to may, 14 kinds')],
			3000,
		);
		expect(text).toContain('WebSearch tulip seasons → tulips: march to may');
		expect(text.split('march to may')).toHaveLength(2);
	});

	it('lines that are only brackets are left out', () => {
		const lines = linesOf('start();\n{\n\t[\n});\n]},\n----------\nThe end is near, said the log.', 'Read', {
			file_path: 'a.ts',
		});
		expect(lines.filter((line) => /^[^\p{L}\p{N}]+$/u.test(line) && line.trim() !== '')).toEqual([]);
	});

	it('lines that only join others are left out', () => {
		const joints = ['} else {', 'try {', '} finally {', 'return;', 'else:', '}) else {'];
		const said = ['else we wait;', 'return { rows: 4 };', 'default: readRows()', 'continue'];
		const lines = linesOf([...joints, ...said].join('\n'), 'Read', { file_path: 'a.ts' });
		for (const joint of joints) expect(lines.filter((line) => line.endsWith(joint))).toEqual([]);
		for (const line of said) expect(lines.some((one) => one.endsWith(line))).toBe(true);
	});

	it("an exit code is part of the call's outcome, not a line of its own", () => {
		const made = call('Bash', { command: './deploy' });
		const text = summaryOf([
			user(1, 'Go.'),
			assistant(2, '', made),
			result(3, made, 'Exit code 7\nno route to host', true),
		]);
		expect(text).toContain('./deploy → exit 7: no route to host');
		expect(text.split('\n').filter((line) => line.endsWith('Exit code 7'))).toEqual([]);
	});

	it('messages that only tools write are left out', () => {
		const edit = call('Edit', { file_path: 'a.ts', old_string: 'one', new_string: 'two' });
		const todo = call('TodoWrite', { todos: [{ content: 'look', status: 'pending' }] });
		const run = call('shell', { command: ['ls'] });
		const text = summaryOf(
			[
				user(1, 'Look.'),
				assistant(2, '', edit, todo, run),
				result(3, edit, 'The file a.ts has been updated successfully.'),
				result(4, todo, 'Todos have been modified successfully. Ensure that you continue to use the list.'),
				result(
					5,
					run,
					'Chunk ID: ab12\nWall time: 0.2 seconds\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nnotes-of-may.md',
				),
			],
			3000,
		);
		expect(text).toContain('notes-of-may.md');
		expect(text).not.toMatch(
			/has been updated|Todos have been|Chunk ID|Wall time|exited with code|token count/,
		);
	});

	it('a finding in several messages is shown once', () => {
		const finding = 'The import is slow because the index of customers is built again for each row.';
		const text = summaryOf(
			[
				user(1, 'Why is it slow?'),
				assistant(2, finding),
				assistant(3, `${finding} I will change that.`),
				assistant(4, finding),
			],
			90,
		);
		expect(text.split(finding).length - 1).toBe(1);
	});
});

describe('JSON results in a summary', () => {
	it('a JSON result is cut between objects', async () => {
		const guests = Array.from({ length: 60 }, (_, index) => ({
			name: `Guest ${index}`,
			room: 100 + index,
			nights: 2 + (index % 5),
			wishes: `a quiet room number ${index}, please`,
		}));
		const talk: ChatMessage[] = [
			say('u0', 'Who stays with us?'),
			asks('c', ['k'], 'guests', { month: 'May' }),
			gives('r', 'k', JSON.stringify({ hotel: 'Seeblick', guests }), { toolName: 'guests' }),
			...Array.from({ length: 6 }, (_, index) => [
				answer(`a${index}`, `Guest ${index * 9} stays longest, since the fair begins in week ${index}.`),
				say(`u${index + 1}`, `What of week ${index + 1}?`),
			]).flat(),
		];
		const session = await sessionWith(testWorld(), talk);
		await compactNow(session, { targetTokens: 900 });
		const summary = String((await historyOf(session)).find(({ metadata }) => metadata?.isSummary)?.content);
		const shown = summary
			.split('\n')
			.filter((line) => /\(name room nights wishes\) \d+(?:–\d+)? of 60: /.test(line));
		expect(shown.length).toBeGreaterThan(0);
		for (const line of shown)
			for (const guest of line.slice(line.indexOf(' of 60: ') + 8).split('; '))
				expect(guest).toMatch(/^"Guest \d+" 1\d\d [2-6] "a quiet room number \d+, please"(?: …)?$/);
	});
});

it('a sentence that was repeated many times is shown once', () => {
	const sentence = 'The garden gate is closed while the pump of the pond is running.';
	const said = Array.from({ length: 12 }, (_, index) => assistant(index + 2, `${sentence}\n\n${sentence}`));
	const text = summaryOf([user(1, 'Keep watch.'), ...said], 2000);
	expect(text.split(sentence)).toHaveLength(2);
});
