import { expect, it } from 'vitest';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { answer, call, logLines, result, user } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld, unwatched } from '../../support/world.ts';

it('results after a first prompt whose middle was cut are pruned', async () => {
	const world = testWorld();
	const session = await sessionWith(world, [user('paste', logLines(1500))], { contextWindow: 30_000 });
	const { warnings } = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
	expect(warnings.join()).toContain('paste');
	await appendMessages(
		session,
		[call('c', ['k']), result('r', 'k', logLines(200)), answer('a', 'done')],
		'contextd',
		{ client: session.client },
	);
	const { tokensBefore } = await compactNow(session, { targetTokens: 1_000_000 });
	const { stagesUsed, removed } = await compactNow(session, {
		targetTokens: tokensBefore - 2000,
		config: { pruneProtectTokens: 0, pruneMinimumSavings: 0, enableSummarize: false, enableTruncate: false },
	});
	expect(stagesUsed).toEqual(['prune']);
	expect(removed.map(({ messageId }) => messageId)).toEqual(['r']);
});
