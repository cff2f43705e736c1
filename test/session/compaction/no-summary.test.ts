import { describe, expect, it } from 'vitest';
import type { ResolvedLink } from '../../../server/core/ask/chain.ts';
import type { SummaryTask } from '../../../server/core/compact/stage.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { askForSummary } from '../../../server/session/compaction/modelSummary.ts';
import type { CompactOptions } from '../../../server/session/compaction/request.ts';
import { call, prose, result, toolSession, user } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

const summariesAlone = { enablePrune: false, enableDeduplicate: false, enableTruncate: false };

/** Returns the stage "summarize" of a session whose chain has one model, which must not be asked. */
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

/** Returns the attempts of a chain that is asked to summarize no messages. */
async function attemptsOnNothing(chain: readonly ResolvedLink[]) {
	const asked: string[] = [];
	const task: SummaryTask = {
		rows: [],
		visible: [],
		shortened: new Map(),
		replacedTokens: 900,
		maxTokens: 500,
		targetTokens: 3000,
		headings: 'neurolink',
	};
	const { attempts, value } = await askForSummary(task, [], {
		sessionId: 's',
		chain: { links: [...chain], totalTimeoutMs: 1000 },
		ask: async ({ provider }) => {
			asked.push(provider);
			return { text: '', stopReason: 'stop' };
		},
		signal: new AbortController().signal,
		now: () => 0,
		wait: () => Promise.resolve(),
		onFallback: () => {},
		models: {},
		countText: (words) => words.length,
		read: async () => [],
		renderItems: async () => [],
	});
	expect(asked).toEqual([]);
	expect(value).toBeUndefined();
	return attempts;
}

describe('histories that cannot be summarized', () => {
	it('no model is asked if nothing is older than the kept tail: MIN_MESSAGES_NOT_MET', async () => {
		const messages = [user('u0', prose(300)), call('c0', ['k0']), result('r0', 'k0', prose(900))];
		const stage = await stageOf(messages, { targetTokens: 700, config: summariesAlone });
		expect(stage).toMatchObject({
			ran: false,
			reason: 'no messages before the kept ones',
			failure: { code: 'MIN_MESSAGES_NOT_MET', retryable: false },
		});
	});

	it.each(['openai', 'openai-compact'] as const)(
		'no model is asked if the replaced messages have no content: MIN_MESSAGES_NOT_MET (%s)',
		async (provider) => {
			const attempts = await attemptsOnNothing([{ provider, model: 'one', timeoutMs: 10, maxRetries: 0 }]);
			expect(attempts).toMatchObject([
				{
					model: 'one',
					ok: false,
					failure: { code: 'MIN_MESSAGES_NOT_MET', retryable: false, tokensBefore: 900 },
				},
			]);
		},
	);

	it('no model is asked if a summary may have only a few words: NO_TOKEN_BUDGET', async () => {
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
