import { expect, it } from 'vitest';
import { RankMeasures } from '../../server/node/measures.ts';
import { silentLogger } from '../support/logger.ts';

it('RankMeasures forgets measures of old models, and creates equal ones later', () => {
	const measures = new RankMeasures('nowhere', silentLogger);
	const first = measures.getMeasure('openai', 'model-0', 'heuristic');
	expect(measures.getMeasure('openai', 'model-0', 'heuristic')).toBe(first);
	for (let index = 1; index <= 1000; index++) measures.getMeasure('openai', `model-${index}`, 'heuristic');
	const again = measures.getMeasure('openai', 'model-0', 'heuristic');
	expect(again).not.toBe(first);
	expect(again.key).toBe(first.key);
});
