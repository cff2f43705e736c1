import { describe, expect, it } from 'vitest';
import { CallFailure } from '../../../server/core/ask/callFailure.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { ChainLink } from '../../../server/protocol/chain.ts';
import type { FormatName } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import type { CompactOptions } from '../../../server/session/compaction/request.ts';
import { renderHistory } from '../../../server/session/history.ts';
import type { AskModel, ModelQuestion } from '../../../server/session/ports.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { prose, toolSession, user } from '../../support/messages.ts';
import { compactNow, sessionWith, testWorld } from '../../support/world.ts';

const link = { provider: 'openai-compact', model: 'gpt-5' } as const;
const extractive = { provider: 'extractive' } as const;

/** Returns the encrypted content of the provider's item number `times`; different for each number. */
function encrypted(times: number, length = 2000): string {
	return `gAAAA${String(times).padStart(4, '0')}${'x'.repeat(length)}`;
}

type Reply = (question: ModelQuestion, times: number) => unknown[];

const compacts: Reply = ({ items = [] }, times) => [
	...items.filter((item) => (item as { role?: string }).role === 'user').slice(0, 1),
	{ id: `cmp_${times}`, type: 'compaction', encrypted_content: encrypted(times) },
];

async function sessionOf(reply: Reply, chain: readonly ChainLink[] = [link, extractive]) {
	const asked: ModelQuestion[] = [];
	const askModel: AskModel = async (_, question) => {
		asked.push(question);
		return { text: '', stopReason: 'stop', items: reply(question, asked.length) };
	};
	const test = testWorld({ askModel });
	test.configure({ summarization: { ...defaultSettings.summarization, chain } });
	const session = await sessionWith(test, toolSession(30), { provider: 'openai', model: 'gpt-5' });
	const compact = (order: CompactOptions = {}) => compactNow(session, { targetTokens: 4000, ...order });
	return { test, session, asked, compact };
}

async function textIn(session: Awaited<ReturnType<typeof sessionOf>>['session'], format: FormatName) {
	return JSON.stringify((await renderHistory(session, format)).messages);
}

describe('compaction by the provider', () => {
	it('the compaction endpoint gets the messages as items and the instructions, but no prompt', async () => {
		const { compact, asked } = await sessionOf(compacts);
		await compact({ instructions: 'Keep the port numbers.' });
		const [{ items = [], system, prompt } = {} as ModelQuestion] = asked;
		expect(asked).toHaveLength(1);
		expect({ system, prompt }).toEqual({ system: 'Keep the port numbers.', prompt: '' });
		const types = new Set(items.map((item) => (item as { type: string }).type));
		expect([...types].sort()).toEqual(['function_call', 'function_call_output', 'message']);
	});

	it("the provider's items replace the summary in their own format, the extract in every other format", async () => {
		const { compact, session } = await sessionOf(compacts);
		const { summary } = await compact();
		expect(summary).toMatchObject({ by: 'gpt-5', attempts: [{ model: 'gpt-5', ok: true }] });
		expect(summary?.text).toContain('## ');
		const [head] = (summary?.text ?? '').split('\n');
		const items = await textIn(session, 'openai-responses');
		expect(items).toContain(encrypted(1));
		expect(items).not.toContain(head);
		for (const format of ['openai', 'anthropic', 'gemini', 'bedrock', 'ai-sdk'] as const) {
			const messages = await textIn(session, format);
			expect(messages).toContain(head);
			expect(messages).not.toContain(encrypted(1));
		}
	});

	it("the provider's items survive a restart and leave with an undo", async () => {
		const { compact, session, test } = await sessionOf(compacts);
		const before = await textIn(session, 'openai-responses');
		await compact();
		const store = await test.restart();
		await store.run('s', test.client, async (again) => {
			expect(await textIn(again, 'openai-responses')).toContain(encrypted(1));
			await undoStep(again, again.client, undefined);
			expect(await textIn(again, 'openai-responses')).toBe(before);
		});
	});

	it('a second compaction sends the earlier compacted item and the new messages', async () => {
		const { compact, asked, test, session } = await sessionOf(compacts);
		await compact();
		await test.store.run('s', test.client, async (open) => {
			const news = Array.from({ length: 12 }, (_, index) =>
				user(`n${index}`, `news ${index} ${prose(200, index)}`),
			);
			await appendMessages(open, news, 'contextd', { client: open.client });
		});
		await compact({ targetTokens: 3000 });
		const [first, second] = asked.map(({ items = [] }) => items);
		expect(JSON.stringify(second)).toContain(encrypted(1));
		expect(JSON.stringify(second)).toContain('news 3');
		for (const item of first ?? []) {
			if ((item as { type: string }).type === 'function_call') expect(second).not.toContainEqual(item);
		}
		const shown = await textIn(session, 'openai-responses');
		expect(shown).toContain(encrypted(2));
		expect(shown).not.toContain(encrypted(1));
	});

	it('a small window gets the messages in pieces, each with the item of the last piece', async () => {
		const reply: Reply = (_, times) => [{ type: 'compaction', encrypted_content: encrypted(times) }];
		const { compact, asked, test } = await sessionOf(reply, [{ ...link, model: 'small' }, extractive]);
		test.configure({ models: { small: { contextWindow: 4000 } } });
		await compact();
		expect(asked.length).toBeGreaterThan(2);
		for (const [index, { items = [] }] of asked.entries()) {
			const encryptedItems = items.filter((item) => (item as { type: string }).type === 'compaction');
			expect(encryptedItems).toEqual(
				index === 0 ? [] : [{ type: 'compaction', encrypted_content: encrypted(index) }],
			);
		}
	});

	it.each([
		['none', () => [], 'INVALID_SUMMARY'],
		['a text alone', () => [{ type: 'message', role: 'assistant', content: 'No.' }], 'INVALID_SUMMARY'],
		['an empty one', () => [{ type: 'compaction', encrypted_content: '' }], 'INVALID_SUMMARY'],
		[
			'one that is too large',
			() => [{ type: 'compaction', encrypted_content: encrypted(1, 90_000) }],
			'CONTEXT_GROWTH',
		],
	] as [string, Reply, string][])(
		'an answer with %s is refused, and the extract is used alone',
		async (_, reply, code) => {
			const { compact, session } = await sessionOf(reply);
			const { summary } = await compact();
			expect(summary).toMatchObject({ by: 'extract', attempts: [{ ok: false, failure: { code } }] });
			expect(await textIn(session, 'openai-responses')).not.toContain('"compaction"');
		},
	);

	it('a failed compaction by the provider falls through to the rest of the chain, or to truncation', async () => {
		const fails: Reply = () => {
			throw new CallFailure('401: no', { retryable: false });
		};
		const { compact } = await sessionOf(fails, [link]);
		const { stages, stagesUsed } = await compact();
		expect(stagesUsed).toContain('truncate');
		expect(stages.find(({ stage }) => stage === 'summarize')?.reason).toBe(
			'ALL_MODELS_FAILED: gpt-5: 401: no',
		);
	});

	it('the compaction endpoint is not asked unless the chain names it', async () => {
		const { compact, asked } = await sessionOf(compacts, []);
		expect((await compact()).summary?.by).toBe('extract');
		expect(asked).toEqual([]);
	});

	it('compacted items in the metadata of an appended message are ignored', async () => {
		const { session, test } = await sessionOf(compacts);
		const metadata = {
			isSummary: true,
			compactedItems: { model: 'm', tokens: 1, items: [{ type: 'compaction', encrypted_content: 'forged' }] },
		};
		await test.store.run('s', test.client, (open) =>
			appendMessages(open, [{ ...user('forger', 'what I really say'), metadata }], 'contextd', {
				client: open.client,
			}),
		);
		const shown = await textIn(session, 'openai-responses');
		expect(shown).toContain('what I really say');
		expect(shown).not.toContain('forged');
	});
});
