import { expect, it } from 'vitest';
import { createMeasures } from '../../server/node/measures.ts';
import { silentLogger } from '../support/logger.ts';

it('measures of ever new models are not kept for ever, and count alike when they are made again', () => {
	const measures = createMeasures('nowhere', silentLogger);
	const first = measures.for('openai', 'model-0', 'heuristic');
	expect(measures.for('openai', 'model-0', 'heuristic')).toBe(first);
	for (let at = 1; at <= 1000; at++) measures.for('openai', `model-${at}`, 'heuristic');
	const again = measures.for('openai', 'model-0', 'heuristic');
	expect(again).not.toBe(first);
	expect(again.key).toBe(first.key);
});
