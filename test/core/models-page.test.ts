import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkLayer } from '../../server/core/settings/layers.ts';

const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');

it('the examples of docs/models.md contain only short, valid settings', () => {
	expect(examples).toHaveLength(4);
	for (const text of examples) {
		expect(checkLayer(JSON.parse(text), 'the page').problems).toEqual([]);
		expect(text.trim().split('\n').length).toBeLessThanOrEqual(10);
	}
});
