import { expect, it, vi } from 'vitest';
import { contextCompact, contextPrepare } from '../../../server/protocol/compact.ts';
import { sessionUpdate } from '../../../server/protocol/session.ts';
import type { AskModel } from '../../../server/session/ports.ts';
import type { App } from '../../support/app.ts';
import { framed } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { goodSummary } from '../../support/goodSummary.ts';
import { connectingClients, notified } from '../../support/sharing.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const { connect } = connectingClients();

/** Waits until a client is asked for a summary. */
const askedForSummary = (app: App) =>
	eventually(() => {
		const request = app.inbox.find((one) => one.method === 'context/summarize');
		expect(request).toBeDefined();
		return request;
	});

const isAsked = (app: App): boolean => app.inbox.some((one) => one.method === 'context/summarize');

function answering(by: string) {
	return vi.fn<AskModel>(async () => ({ text: goodSummary, stopReason: 'stop', model: by }));
}

const chain = { summarization: { chain: [{ provider: 'openai', model: 'writer' }] } };

it('a compaction asks only the model that the compacting client offers', async () => {
	const [one, other] = [
		await connect(notified({}, { summarize: true })),
		await connect(notified({}, { summarize: true })),
	];
	const without = await connect();
	await begin(one, 's', conversation(40, 120));
	await begin(one, 't', conversation(40, 120));
	const compacting = other.ask(contextCompact, { sessionId: 's' });
	const request = await askedForSummary(other);
	const result = { text: goodSummary, stopReason: 'stop', model: 'of the other' };
	other.write(framed(JSON.stringify({ jsonrpc: '2.0', id: request?.id, result }), 'content-length'));
	expect((await compacting)?.summary?.by).toBe('of the other');
	expect((await without.ask(contextCompact, { sessionId: 't' }))?.summary?.attempts).toEqual([]);
	expect(isAsked(one)).toBe(false);
});

it('a compaction asks providers with the keys of the compacting client', async () => {
	const [rich, poor] = [answering('rich'), answering('poor')];
	const [one, other] = [
		await connect({ ...notified(chain), askProvider: rich }),
		await connect({ ...notified(chain), askProvider: poor }),
	];
	const keyless = await connect(notified(chain));
	for (const id of ['s', 't', 'u']) await begin(one, id, conversation(40, 120));
	await other.ask(contextCompact, { sessionId: 's' });
	expect([rich.mock.calls.length, poor.mock.calls.length > 0]).toEqual([0, true]);
	const asked = poor.mock.calls.length;
	await one.ask(contextCompact, { sessionId: 't' });
	expect([rich.mock.calls.length > 0, poor.mock.calls.length]).toEqual([true, asked]);
	const before = rich.mock.calls.length;
	const result = await keyless.ask(contextCompact, { sessionId: 'u' });
	expect(result?.summary?.by).not.toBe('rich');
	expect([rich.mock.calls.length, poor.mock.calls.length]).toEqual([before, asked]);
});

it('a prefetched summary is used only for the client whose model wrote it', async () => {
	const ask = answering('writer');
	const options = {
		...chain,
		summarization: { chain: [...chain.summarization.chain, { provider: 'extractive' }] },
	};
	const one = await connect({ ...notified(options), askProvider: ask });
	const other = await connect(notified());
	await begin(one, 's', conversation(60, 120));
	const { breakdown } = await statsIn(one, 's');
	const windowFor = (share: number) => Math.round(breakdown.conversationHistory / share / 0.65);
	await one.ask(sessionUpdate, { sessionId: 's', contextWindow: windowFor(0.77) });
	await one.ask(contextPrepare, { sessionId: 's' });
	await eventually(() => expect(ask).toHaveBeenCalled());
	await one.ask(sessionUpdate, { sessionId: 's', contextWindow: windowFor(0.95) });
	const { compaction } = await other.ask(contextPrepare, { sessionId: 's' });
	expect(compaction?.compacted).toBe(true);
	expect(compaction?.summary?.by).not.toBe('writer');
});
