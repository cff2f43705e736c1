import { expect, it } from 'vitest';
import { CallFailure } from '../../../server/core/ask/callFailure.ts';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { ChainLink } from '../../../server/protocol/chain.ts';
import type { AskModel } from '../../../server/session/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { toolSession } from '../../support/messages.ts';
import { historyOf } from '../../support/world.ts';
import { chat, filled } from '../compaction/filled.ts';

const good = listTitles('neurolink')
	.map((title, index) => `## ${index + 1}. ${title}\n- what was said`)
	.join('\n');
const one = { provider: 'openai', model: 'one' } as const;
const extractive = { provider: 'extractive' } as const;

/** Returns a session that fills this share of its window, with a chain whose models reply like this, or fail. */
async function full(chain: readonly ChainLink[], reply: () => Promise<string>, share = 0.83) {
	let asked = 0;
	const askModel: AskModel = async () => {
		asked++;
		return { text: await reply(), stopReason: 'stop' };
	};
	const test = await filled(chat(60), share, { askModel });
	test.world.configure({ summarization: { ...defaultSettings.summarization, chain } });
	return { ...test, asked: () => asked };
}

const fails = () => Promise.reject(new CallFailure('nobody is there', { retryable: false }));

it('prepare uses an extract without asking a model if the chain allows one', async () => {
	const { prepared, asked } = await full([one, extractive], async () => good);
	const { compaction } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'extract' } });
	expect(asked()).toBe(0);
});

it('prepare waits for the models of a chain without an extract', async () => {
	const { prepared, asked } = await full([one], async () => good);
	const { compaction } = await prepared();
	expect(compaction).toMatchObject({ compacted: true, summary: { by: 'one', attempts: [{ ok: true }] } });
	expect(asked()).toBe(1);
});

it('prepare removes the oldest exchanges if all models of a chain without an extract fail: ALL_MODELS_FAILED', async () => {
	const { prepared, session } = await full([one], fails);
	const { compaction } = await prepared();
	expect(compaction?.stagesUsed).toEqual(['truncate']);
	const stage = compaction?.stages.find(({ stage }) => stage === 'summarize');
	expect(stage).toMatchObject({
		ran: false,
		reason: 'ALL_MODELS_FAILED: one: nobody is there',
		failure: { code: 'ALL_MODELS_FAILED' },
	});
	expect((await historyOf(session)).some(({ metadata }) => metadata?.isSummary)).toBe(false);
});

it('prepare waits for a summary that is being prefetched if the chain has no extract', async () => {
	let say: (text: string) => void = () => {};
	const { prepared, session, asked } = await full(
		[one],
		() =>
			new Promise((done) => {
				say = done;
			}),
		0.77,
	);
	await prepared();
	await eventually(() => expect(asked()).toBe(1));
	session.state.info.contextWindow = Math.round((session.state.info.contextWindow ?? 0) * 0.92);
	const preparing = prepared();
	say(good);
	expect((await preparing).stats?.shouldCompact).toBe(false);
	expect(asked()).toBe(1);
	expect((await historyOf(session)).filter(({ metadata }) => metadata?.isSummary)).toHaveLength(1);
});

it('prepare makes a request fit after a failed summary without asking again', async () => {
	let asked = 0;
	const askModel: AskModel = async () => {
		asked++;
		throw new CallFailure('nobody is there', { retryable: false });
	};
	const test = await filled(toolSession(30), 1.4, { askModel });
	test.world.configure({ summarization: { ...defaultSettings.summarization, chain: [one] } });
	const { stats } = await test.prepared();
	expect(stats?.withinBudget).toBe(true);
	expect(asked).toBeLessThanOrEqual(1);
});
