import { expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';

/** Returns the source of an answer with this reasoning. */
function read(reasoning: string, answer: string) {
	const content = [
		{ type: 'reasoning' as const, text: reasoning },
		{ type: 'text' as const, text: answer },
	];
	return createSource({ seq: 1, id: 'm' }, { id: 'm', role: 'assistant', content });
}

it('reasoning has no titles, and the answer after it keeps its own', () => {
	const { text, thoughtLength } = read(
		'**Planning the piers**\n\nThe ferry **must** berth first.\n**Checking tides**',
		'**Result**\nIt berths.',
	);
	expect(text).toBe('\nThe ferry **must** berth first.\n\n**Result**\nIt berths.');
	expect(text.slice(thoughtLength)).toBe('**Result**\nIt berths.');
});

it.each(['**Comptant les bacs du port**', '**潮位表を確認中**', '**Résumé des bacs**'])(
	'the first line of reasoning may be a title in any language: %s',
	(title) => {
		expect(read(`${title}\n\nThe ferry berths.`, 'It berths.').text).toBe('\nThe ferry berths.\nIt berths.');
		expect(read(title, 'It berths.').text.trim()).toBe('It berths.');
	},
);

it.each([
	'**The tide was wrong.**\n\nIt was low.',
	'**Piers**\n- north',
	'It is low.\n**Marée**\n\nIt rises.',
])('a line in bold that ends a sentence, heads a list or follows a line stays: %s', (reasoning) => {
	expect(read(reasoning, 'It berths.').text).toContain(reasoning);
});

it('a line in bold that introduces or states something stays', () => {
	const reasoning = '**Options that do not work:**\n- Cache the tides.\n**Nothing is lost**';
	expect(read(reasoning, 'It berths.').text).toContain(reasoning);
});

it('reasoning that is only a title leaves the answer alone', () => {
	const { text, thoughtLength } = read('**Planning the piers**', 'It berths.');
	expect(text.slice(thoughtLength).trim()).toBe('It berths.');
});
