import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns the summary of a message with several calls, each with its result. */
function summaryOfBatch(text: string, ...made: [call: ToolCall, output: string, failed?: boolean][]): string {
	const results = made.map(([one, output, failed], index) => result(2 + index, one, output, failed));
	return summaryOf(
		[
			user(0, 'Describe the new tariffs in all documents.'),
			assistant(1, text, ...made.map(([one]) => one)),
			...results,
			assistant(9, 'Next I read the archive.'),
		],
		2000,
	);
}

const noMatch = 'String to replace not found in file.';

/** An edit of one document, as several agents write it; the texts that it replaces differ. */
const editors: [agent: string, edit: (title: string) => ToolCall][] = [
	[
		'Claude Code',
		(title) =>
			call('Edit', { file_path: 'docs/tariffs.md', old_string: title, new_string: `${title} today` }),
	],
	[
		'OpenCode',
		(title) => call('edit', { filePath: 'docs/tariffs.md', oldString: title, newString: `${title} today` }),
	],
	[
		'Gemini CLI',
		(title) =>
			call('replace', { file_path: 'docs/tariffs.md', old_string: title, new_string: `${title} today` }),
	],
];

describe('several calls in one message', () => {
	it.each(editors)(
		'edits of one file, of which some failed, have one line with their number: %s',
		(_, edit) => {
			const text = summaryOfBatch(
				'I describe the tariffs of all zones:',
				[edit('Ships pay ninety crowns'), noMatch, true],
				[edit('Planes wait behind gate seven'), 'The file docs/tariffs.md has been updated.'],
				[edit('Carts need no permit'), noMatch, true],
			);
			expect(text).toMatch(/docs\/tariffs\.md → 2 of 3 failed: String to replace not found/);
		},
	);

	it.each(editors)('edits of one file that all failed have one line without a number: %s', (_, edit) => {
		const text = summaryOfBatch(
			'I describe the tariffs of all zones:',
			[edit('Ships pay ninety crowns'), noMatch, true],
			[edit('Planes wait behind gate seven'), noMatch, true],
		);
		expect(text).toMatch(/docs\/tariffs\.md → failed: String to replace not found/);
		expect(text).not.toMatch(/\d of \d/);
	});

	it.each(editors)(
		'refused edits of one file are settled only by edits with the same words: %s',
		(_, edit) => {
			const refused = [edit('Ships pay ninety crowns'), edit('Planes wait behind gate seven')];
			const later = edit('Planes wait behind gate seven');
			const text = summaryOf(
				[
					user(0, 'Describe the new tariffs in all documents.'),
					assistant(1, 'I describe the tariffs of both zones in one step.', ...refused),
					...refused.map((one, index) => result(2 + index, one, 'File has not been read yet.', true)),
					assistant(4, 'I try one of them again.', later),
					result(5, later, 'The file docs/tariffs.md has been updated.'),
					assistant(6, 'Next I read the archive.'),
				],
				2000,
			);
			expect(text).toContain('docs/tariffs.md → failed: File has not been read yet.');
			expect(text).not.toContain('passed later');
		},
	);

	it.each([
		['TodoWrite', { todos: [{ content: 'Describe the tariffs', status: 'in_progress' }] }],
		['update_plan', { plan: [{ step: 'Describe the tariffs', status: 'in_progress' }] }],
	])('an announcement is not reported as done because the plan was changed: %s', (tool, args) => {
		const text = summaryOfBatch('The archive has all old tariffs. I begin with the tariffs of the harbour:', [
			call(tool, args),
			'Todos have been modified successfully.',
		]);
		expect(text).toContain('The archive has all old tariffs.');
		expect(text).not.toContain('→ done');
	});

	it('an announcement to find something out is not reported as done', () => {
		const names = ['north', 'south', 'old', 'new', 'inner', 'outer', 'upper', 'lower'];
		const rows = Array.from({ length: 40 }, (_, index) => `berth ${index} | fee ${index * 7} | paid`).join(
			'\n',
		);
		const summariesAfter = (announce: (name: string) => string, tool: string, args: object): string => {
			const messages = names.flatMap((name, index) => {
				const made = call(tool, { ...args, file_path: `/srv/${name}.ts` });
				const said = `The ${name} harbour pays ${index + 3} per berth because its quay is short. ${announce(name)}`;
				return [assistant(2 * index + 2, said, made), result(2 * index + 3, made, rows)];
			});
			const sources = [user(1, 'Describe the tariffs.'), ...messages, assistant(40, 'All are described.')];
			return [300, 400, 500, 600].map((tokens) => summaryOf(sources, tokens)).join('\n');
		};
		const compare = (name: string): string => `Now I compare the rules of the ${name} harbour:`;
		const verify = (name: string): string => `Let me verify the rules of the ${name} harbour:`;
		// Nothing tells whether what the command printed reports success.
		expect(summariesAfter(compare, 'Bash', { command: './ledger' })).not.toContain('→ done');
		expect(summariesAfter(verify, 'Bash', { command: './ledger' })).not.toContain('→ done');
		expect(summariesAfter(verify, 'Write', { content: 'verify();\n' })).toMatch(/→ edited \w+\.ts/);
		const fix = (name: string): string => `Let me fix the rules of the ${name} harbour.`;
		expect(summariesAfter(fix, 'Write', { content: 'fix();\n' })).toMatch(/harbour\. → edited \w+\.ts/);
		expect(summariesAfter(fix, 'Bash', { command: './ledger' })).not.toContain('→ done');
	});

	it.each([
		['Claude Code', 'Bash', 'command'],
		['Codex', 'exec_command', 'cmd'],
		['mini-swe-agent', 'bash', 'command'],
	])('an announcement is followed by a command that changes something: %s', (_, tool, name) => {
		const names = ['north', 'south', 'old', 'new', 'inner', 'outer', 'upper', 'lower'];
		const summariesAfter = (announce: string, toCommand: (file: string) => string): string => {
			const messages = names.flatMap((one, index) => {
				const made = call(tool, { [name]: toCommand(`${one}.ts`) });
				const said = `The ${one} harbour pays ${index + 3} per berth because its quay is short. ${announce}`;
				return [assistant(2 * index + 2, said, made), result(2 * index + 3, made, '')];
			});
			const sources = [user(1, 'Describe the tariffs.'), ...messages, assistant(40, 'All are described.')];
			return [200, 300, 400, 500, 600].map((tokens) => summaryOf(sources, tokens)).join('\n');
		};
		expect(
			summariesAfter('I will try to be very simple.', (file) => `sed -i '12r tariff.txt' ${file}`),
		).toMatch(/very simple\. → sed -i '12r tariff\.txt' \w+\.ts/);
		expect(summariesAfter('Now I take all of it back:', (file) => `git checkout ${file}`)).toMatch(
			/take all of it back → git checkout \w+\.ts/,
		);
		expect(summariesAfter('Let me look at it:', (file) => `cat ${file}`)).not.toContain('→ cat');
	});
});
