/** After a pause that is longer than the lifetime of the provider's cache, the real pi costs less with contextd than without. */

import { describe, expect, it } from 'vitest';
import { measuredAgents, runAgent } from '../bench/money/agentRuns.ts';
import { needs } from '../support/needs.ts';
import { findAgent } from './install.ts';

/** A session that is compacted only because of the pause, since it is far below the agent's own limit. */
const work = {
	turns: 3,
	documentsPerTurn: 8,
	documentLength: 13_000,
	pausesBefore: [2],
	compactsNear: 150_000,
};

const measured = measuredAgents.find(({ agent }) => agent.name === 'pi');
if (measured === undefined) throw new Error('pi is not among the measured agents');
const found = await findAgent(measured.agent);
const isMissing = 'missing' in found;

describe.skipIf(isMissing)('what pi costs', isMissing ? needs(found.missing) : {}, () => {
	it('pi costs less after a pause if contextd compacts then', { timeout: 240_000 }, async () => {
		if (isMissing) throw new Error(found.missing);
		const nothing = await runAgent(measured, found.installed, 'nothing', work);
		const balanced = await runAgent(measured, found.installed, 'balanced', work);
		expect(nothing).toMatchObject({ compactions: 0, summaries: 0 });
		expect(balanced).toMatchObject({ compactions: 1, summaries: 0 });
		expect(balanced.cost).toBeLessThan(0.85 * nothing.cost);
	});
});
