import { expect, it } from 'vitest';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { answer, toolSession, user } from '../../support/messages.ts';
import { sessionWith, testWorld, unwatched } from '../../support/world.ts';

const order = { format: 'contextd' as const };

it('prepare warns of an answer to a prompt beyond the window, and compacts', async () => {
	const world = testWorld();
	const said = answer('late', 'Done.', { usage: { input: 41_000, output: 10 }, stopReason: 'stop' });
	const session = await sessionWith(world, [...toolSession(30), said, user('u', 'Go on.')], {
		contextWindow: 40_000,
	});
	const { warnings, compaction, stats } = await prepareHistory(session, order, unwatched(session));
	expect(warnings).toEqual([expect.stringContaining('late')]);
	expect(compaction?.compacted).toBe(true);
	expect(stats?.withinBudget).toBe(true);
});

it('prepare does not warn of an answer to a prompt that fitted', async () => {
	const world = testWorld();
	const said = answer('fine', 'Done.', { usage: { input: 21_000, output: 10 }, stopReason: 'stop' });
	const session = await sessionWith(world, [...toolSession(30), said, user('u', 'Go on.')], {
		contextWindow: 40_000,
	});
	const { warnings } = await prepareHistory(session, order, unwatched(session));
	expect(warnings).toEqual([]);
});
