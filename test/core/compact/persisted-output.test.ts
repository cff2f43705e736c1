/** Tests results that Claude Code stores in a file because they are too large. The model gets a path and a preview. */

import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import { MessageLabels } from '../../../server/front/output/labels.ts';
import { answer, call, prose, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const whole = '/home/me/.claude/projects/-w/tool-results/b7.txt';
const lines = Array.from({ length: 12 }, (_, index) => `src/queue${index}.ts:${index}: drain(index);`);
const placeholder = [
	'<persisted-output>',
	`Output too large (33.6KB). Full output saved to: ${whole}`,
	'',
	'Preview (first 2KB):',
	...lines,
	'...',
	'</persisted-output>',
].join('\n');
const marks = /persisted-output|Output too large|Preview \(first|^\.\.\.$/m;

describe('results that the agent stored in a file', () => {
	it('a stored result is read as its path and preview', () => {
		const row = { seq: 1, id: 'r', tool: 'Grep' };
		const read = (content: string) => createSource(row, { id: 'r', role: 'tool', content }).text;
		expect(read(placeholder).split('\n')).toEqual([`Whole output (33.6KB): ${whole}`, '', ...lines]);
		expect(read(lines.join('\n'))).toBe(lines.join('\n'));
	});

	it('the path of a stored result remains in summaries and shortened results', async () => {
		for (const targetTokens of [900, 2500, 4500]) {
			const session = await sessionWith(testWorld(), [
				user('u', 'Where is the queue drained?'),
				call('a', ['c'], 'Grep', { pattern: 'drain' }),
				result('r', 'c', placeholder),
				answer('said', `The whole list lies in ${whole}.`),
				...Array.from({ length: 8 }, (_, index) => [
					call(`a${index}`, [`c${index}`], 'Bash', { command: `./report ${index}` }),
					result(`r${index}`, `c${index}`, prose(400, index)),
				]).flat(),
			]);
			const { stagesUsed } = await compactNow(session, { targetTokens });
			expect(stagesUsed.length).toBeGreaterThan(0);
			const shown = (await historyOf(session)).map(({ content }) => String(content)).join('\n');
			expect(shown).toContain(whole);
			expect(shown).not.toMatch(marks);
		}
	});

	it('the label of a stored result is its path', () => {
		const labels = new MessageLabels();
		labels.add('r', { role: 'tool', content: placeholder });
		expect(labels.get('r')?.subject).toMatch(/^Whole output \(33\.6KB\): \/home\/me/);
	});
});
