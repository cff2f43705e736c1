import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../server/core/settings/layers.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { CompactOptions } from '../../../server/session/compaction/request.ts';
import { call, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

const summariesAlone = { enablePrune: false, enableDeduplicate: false, enableTruncate: false };

/** What the stage "summarize" says of a session whose chain has one model, which must not be asked. */
async function stageOf(messages: readonly ChatMessage[], order: CompactOptions) {
	const asked: string[] = [];
	const test = testWorld({
		askModel: async ({ provider }) => {
			asked.push(provider);
			return { text: '', stopReason: 'stop' };
		},
	});
	const chain = [{ provider: 'openai', model: 'one' }] as const;
	test.configure({ summarization: { ...defaultSettings.summarization, chain } });
	const session = await sessionWith(test, messages);
	const { stages, summary } = await compactNow(session, order);
	expect(asked).toEqual([]);
	expect(summary).toBeUndefined();
	return stages.find(({ stage }) => stage === 'summarize');
}

describe('where nothing can be summarized, nobody is asked, and the stage says why', () => {
	it('MIN_MESSAGES_NOT_MET: nothing is older than what is kept', async () => {
		const messages = [user('u0', prose(300)), call('c0', ['k0']), result('r0', 'k0', prose(900))];
		const stage = await stageOf(messages, { targetTokens: 700, config: summariesAlone });
		expect(stage).toMatchObject({
			ran: false,
			reason: 'nothing older than what is kept',
			failure: { code: 'MIN_MESSAGES_NOT_MET', retryable: false },
		});
	});

	it('NO_TOKEN_BUDGET: a summary may be no larger than a few words', async () => {
		const stage = await stageOf(toolSession(30), {
			targetTokens: 3000,
			config: { ...summariesAlone, maxGrowthRatio: 0.005 },
		});
		expect(stage).toMatchObject({
			ran: false,
			reason: 'no summary would be smaller than what it replaces',
			failure: { code: 'NO_TOKEN_BUDGET', retryable: false },
		});
	});
});
