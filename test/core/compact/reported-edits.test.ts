import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

/** Returns a message of the agent's program, as Aider writes it. */
function report(seq: number, text: string): Source {
	return { ...user(seq, text), role: 'system' };
}

const edit = (hash: string, path: string): string =>
	`Tokens: 9,779 sent, 151 received. Cost: $0.03 message.  \nApplied edit to ${path}  \nCommit ${hash} feat: Change ${path}  \nYou can use /undo to undo and discard each aider commit.`;

const session = [
	user(1, 'Show the tide.'),
	assistant(2, 'I add a column.'),
	report(3, edit('a1b2c3d', 'src/tide.ts')),
	user(4, 'Label every pier.'),
	assistant(5, 'I add labels.'),
	report(6, edit('b2c3d4e', 'src/pier.ts')),
];
const undo = [user(7, '/undo'), report(8, 'Removed: b2c3d4e feat: Change src/pier.ts\nNow at: a1b2c3d feat')];

describe('edits and commits that an agent’s program reports', () => {
	it('files are listed as changed, and requests have their commits', () => {
		const text = summaryOf(session);
		expect(sectionIn(text, 'files')).toContain('- changed: src/pier.ts, src/tide.ts');
		expect(text).toContain('Show the tide. → committed: a1b2c3d (#3)');
		expect(text).toContain('Label every pier. → committed: b2c3d4e (#6)');
	});

	it('a long request has its commits in its label', () => {
		const long = `Label every pier. ${'Each label has the name of its ferry and the next tide. '.repeat(12)}`;
		const text = summaryOf([
			user(1, long),
			assistant(2, 'I add labels.'),
			report(3, edit('b2c3d4e', 'src/pier.ts')),
		]);
		expect(text).toContain('[#1 user] (→ committed: b2c3d4e (#3)) Label every pier.');
	});

	it('an undone edit is neither listed nor committed', () => {
		const text = summaryOf([...session, ...undo]);
		expect(sectionIn(text, 'files')).toContain('- changed: src/tide.ts');
		expect(sectionIn(text, 'files')).not.toContain('src/pier.ts');
		expect(text).not.toContain('committed: b2c3d4e');
		expect(text).toContain('(work undone in #7) Label every pier.');
		expect(text).toContain('] Show the tide.');
	});

	it('the newest commit is the one that the report of an undo names', () => {
		const own = 'Committing src/tide.ts before applying edits.\nCommit c3d4e5f fix: Round the tide\n';
		const text = summaryOf(
			[
				...session.slice(0, 5),
				report(6, `${own}${edit('b2c3d4e', 'src/pier.ts')}`),
				user(7, '/undo'),
				report(8, 'Removed: b2c3d4e feat: Change src/pier.ts\nNow at:  c3d4e5f fix: Round the tide'),
				user(9, '/clear  \n\nLabel only the northern pier.'),
			],
			4000,
		);
		expect(text).toContain('commit c3d4e5f (#8)');
		expect(text).toContain('Current request (#9): Label only the northern pier.');
		const back = summaryOf([...session, ...undo], 4000);
		expect(back).toContain('Current request (#4): Label every pier. (work undone in #7)');
	});

	it('no commit is named as the newest while the report of an undo is awaited', () => {
		const text = summaryOf([...session, user(7, '/undo')], 4000);
		expect(text).toContain('Show the tide. → committed: a1b2c3d (#3)');
		expect(text).not.toMatch(/^State: .*\bcommit [0-9a-f]/m);
	});

	it('the client may mark the reports as its own messages of the user', () => {
		const injected = session.map((one) =>
			one.role === 'system' ? { ...one, role: 'user' as const, isInjected: true } : one,
		);
		expect(summaryOf(injected)).toContain('Show the tide. → committed: a1b2c3d (#3)');
	});

	it('a commit or an edit that the user mentions was not made', () => {
		const text = summaryOf([
			user(1, 'Show the tide.'),
			assistant(2, 'I add a column.'),
			user(3, 'Commit a1b2c3d broke it.\nApplied edit to src/tide.ts'),
		]);
		expect(text).not.toContain('committed:');
		expect(sectionIn(text, 'files')).toBe('');
	});

	it('usage and hints in the reports are not quoted', () => {
		const text = summaryOf([...session, ...undo], 4000);
		expect(text).toContain('Removed: b2c3d4e');
		expect(text).not.toMatch(/Tokens: |You can use \/undo/);
	});

	it('undone code is quoted after code that stands', () => {
		const code = (name: string): string =>
			Array.from(
				{ length: 40 },
				(_, index) => `const ${name}_${index} = load${name}(${index}, PIER_${name}_${index});`,
			).join('\n');
		const block = (name: string): string => `I change it.\n\`\`\`ts\n${code(name)}\n\`\`\``;
		const text = summaryOf(
			[
				user(1, 'Show the tide.'),
				assistant(2, block('Stays')),
				report(3, edit('a1b2c3d', 'src/tide.ts')),
				user(4, 'Label every pier.'),
				assistant(5, block('Undone')),
				report(6, edit('b2c3d4e', 'src/pier.ts')),
				...undo,
			],
			600,
		);
		const linesWith = (name: string): number => text.split(`load${name}(`).length - 1;
		expect(linesWith('Stays')).toBeGreaterThan(1.5 * linesWith('Undone'));
	});

	it('a refused edit changed nothing', () => {
		const refused = `${edit('a1b2c3d', 'src/tide.ts')}\n# 1 SEARCH/REPLACE block failed to match!`;
		const text = summaryOf([user(1, 'Show the tide.'), assistant(2, 'I try.'), report(3, refused)]);
		expect(sectionIn(text, 'files')).toBe('');
	});

	it('output of a tool that looks like a report changes nothing', () => {
		const made = call('Bash', { command: 'cat chat.log' });
		const text = summaryOf([
			user(1, 'Show the log.'),
			assistant(2, '', made),
			result(3, made, edit('a1b2c3d', 'src/tide.ts')),
		]);
		expect(text).not.toContain('committed:');
		expect(sectionIn(text, 'files')).not.toContain('changed: src/tide.ts');
	});
});
