import { describe, expect, it } from 'vitest';
import { findObservation } from '../../../server/core/analysis/messageSource.ts';

const lines = Array.from({ length: 30 }, (_, index) => `${index + 1}:const value${index} = ${index};`);

describe('program output in user messages', () => {
	it('a user message that ends with a shell prompt is program output, without line numbers and prompt', () => {
		const text = `[File: /srv/app/a.ts (30 lines total)]\n${lines.join('\n')}\n\n(Open file: /srv/app/a.ts)\n(Current directory: /srv/app)\nbash-$`;
		const printed = findObservation(text);
		expect(printed).toContain('[File: /srv/app/a.ts (30 lines total)]\nconst value0 = 0;\nconst value1 = 1;');
		expect(printed).not.toMatch(/bash-\$|Current directory|^\d+:/m);
	});

	it.each(['OBSERVATION:\n', 'EXECUTION RESULT of [CmdRunAction]:\n', '<returncode>1</returncode>\n'])(
		'a user message that begins with %j is program output',
		(mark) => {
			expect(findObservation(`${mark}${lines.join('\n')}`)).toMatch(/const value29 = 29;$/);
		},
	);

	it('a short user message that ends like a screen is program output', () => {
		expect(findObservation('Found 3 matches\n(Current directory: /srv/app)\nbash-$')).toBe('Found 3 matches');
	});

	it('a user message that asks about an output is the user’s own', () => {
		expect(findObservation(`Why does it print this?\n${lines.join('\n')}\nbash-$ I am lost`)).toBeUndefined();
		expect(
			findObservation(`Traceback (most recent call last):\n${lines.join('\n')}\nWhat is wrong?`),
		).toBeUndefined();
	});

	it('a user message that may have been typed is the user’s own', () => {
		expect(findObservation('OBSERVATION: it is slow\nbash-$')).toBeUndefined();
	});

	it('program output keeps the times of a log', () => {
		const log = Array.from({ length: 40 }, (_, index) => `12:30:${10 + index} request done`).join('\n');
		expect(findObservation(`${log}\nme@host:~/app$ `)).toContain('12:30:10 request done');
	});
});
