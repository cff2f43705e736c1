import { expect, it } from 'vitest';
import { checkFoundSettings } from '../../../server/core/settings/layers.ts';

const path = '/p/contextd.json';

it('reports 20 problems of a settings file, and the number of the others', () => {
	const value = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`unknown${index}`, 1]));
	const { problems } = checkFoundSettings({ scope: 'project', path, value });
	expect(problems).toHaveLength(21);
	expect(problems.at(-1)?.message).toBe(`${path}: 30 more problems`);
});

it('a long name in a settings file is reported by its beginning', () => {
	const { problems } = checkFoundSettings({ scope: 'user', path, value: { ['x'.repeat(10_000)]: 1 } });
	expect(problems).toHaveLength(1);
	expect(problems[0]?.message.length).toBeLessThan(700);
});
