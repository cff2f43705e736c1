import { describe, expect, it } from 'vitest';
import { splitEditBlocks } from '../../../server/core/analysis/editBlocks.ts';
import { createSource } from '../../../server/core/analysis/messageSource.ts';
import type { Source } from '../../../server/core/analysis/source.ts';
import { user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const oldLine = 'const shelves = loadShelves(yearOf(today));';
const newLine = 'const shelves = loadShelves(seasonOf(today));';

/** An edit block, by default with its file name above a fence, as aider writes it. */
function block(before: string, after: string, head = 'src/shelves.ts\n```ts\n', foot = '\n```'): string {
	return `${head}<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE${foot}`;
}

function said(seq: number, role: 'assistant' | 'system', content: string): Source {
	return createSource({ seq, id: `id-${seq}` }, { id: `id-${seq}`, role, content });
}

/** The report of aider on an applied edit. */
const applied = (hash: string) =>
	`Tokens: 4,331 sent, 541 received. Cost: $0.02 message, $0.02 session.  \nApplied edit to src/shelves.ts  \nCommit ${hash} fix: Load shelves by season  \nYou can use /undo to undo and discard each aider commit.  `;

const edited = said(
	2,
	'assistant',
	`The season decides, not the year. Here's the change:\n\n${block(oldLine, newLine)}`,
);

describe('edits that an agent writes into its text', () => {
	it.each([
		['above a fence', block(oldLine, newLine)],
		['in bold, without a fence', block(oldLine, newLine, '**src/shelves.ts**\n', '')],
		['inside the fence', block(oldLine, newLine, '```ts\nsrc/shelves.ts\n')],
	])('reads a block with its file name %s', (_, text) => {
		const { text: rest, calls } = splitEditBlocks(`One line differs.\n\n${text}\n\nThat is all.`, 'm1 ');
		expect(calls).toEqual([
			{
				id: 'm1 0',
				name: 'edit',
				args: { file_path: 'src/shelves.ts', old_string: oldLine, new_string: newLine },
			},
		]);
		expect(rest.split('\n').filter(Boolean)).toEqual(['One line differs.', 'That is all.']);
	});

	it('reads several blocks of one file, and an empty old side', () => {
		const both = `${block('', newLine, undefined, '')}\n\n${block(oldLine, newLine, '')}`;
		const { calls } = splitEditBlocks(both, '');
		expect(calls.map(({ args }) => args)).toMatchObject([
			{ file_path: 'src/shelves.ts', old_string: '' },
			{ file_path: 'src/shelves.ts', old_string: oldLine },
		]);
	});

	it.each([
		['an incomplete block', `src/a.ts\n<<<<<<< SEARCH\n${oldLine}\n=======\n${newLine}`],
		['a block without a file name', block(oldLine, newLine, 'Change this line:\n')],
		['a text about blocks', 'A block begins with <<<<<<< SEARCH\nand ends with >>>>>>> REPLACE'],
	])('leaves %s as it is', (_, text) => {
		expect(splitEditBlocks(text, '')).toEqual({ text, calls: [] });
	});

	it('lists the file as changed, with the commit, and does not quote replaced lines', () => {
		const text = summaryOf([
			user(1, 'Load shelves by season.'),
			edited,
			said(3, 'system', applied('5a32c83')),
		]);
		expect(text).toContain('- changed: src/shelves.ts');
		expect(text).toContain('edit src/shelves.ts → Commit 5a32c83 fix: Load shelves by season');
		expect(text).toContain(newLine);
		expect(text).not.toContain(oldLine);
		for (const noise of ['SEARCH', 'Tokens:', "Here's the change", 'You can use /undo'])
			expect(text).not.toContain(noise);
	});

	it('shows a refused block as failed, without its content', () => {
		const refusal = 'The LLM did not conform to the edit format.';
		const text = summaryOf([user(1, 'Load shelves by season.'), edited, said(3, 'system', refusal)]);
		expect(text).toContain(`edit src/shelves.ts → failed: ${refusal}`);
		expect(text).not.toContain('seasonOf');
	});

	it.each([
		['the commit that the agent reports', '5a32c83', '(of #2: Load shelves by season.)'],
		['nothing, if the agent refused', undefined, ''],
	])('an /undo undoes %s', (_, hash, shown) => {
		const answer = hash
			? `Removed: ${hash} fix: Load shelves by season  \nNow at:  a7b108a Load shelves  `
			: 'The last commit was not made by aider in this chat session.  ';
		const text = summaryOf([
			user(1, 'Load shelves by season.'),
			edited,
			said(3, 'system', applied('5a32c83')),
			user(4, 'Why by season?'),
			said(5, 'assistant', 'Because the shelves are rearranged twice a year.'),
			user(6, '/undo'),
			said(7, 'system', answer),
		]);
		expect(text).toMatch(new RegExp(`\\[#6 user\\] /undo ?${shown.replace(/[().]/g, '\\$&')}$`, 'm'));
		expect(text.includes('(undone in #6)')).toBe(hash !== undefined);
		expect(text).not.toMatch(/^\[#5\] \(undone/m);
	});
});
