import { afterEach, expect, it } from 'vitest';
import { listTitles } from '../../server/core/compact/summary/headings.ts';
import { contextCompact } from '../../server/protocol/compact.ts';
import { json, loopback, pieces } from '../node/models/loopback.ts';
import { wires } from '../node/models/wires.ts';
import { cleanUp, startDaemon } from '../support/daemon.ts';
import { begin, conversation } from '../support/talk.ts';

afterEach(cleanUp);

const summary = listTitles('neurolink')
	.map((title, index) => `## ${index + 1}. ${title}\n${index < 9 ? '- told by the model' : '-'}`)
	.join('\n');

it('the built daemon falls back from a busy provider to another, and writes no foreign text to stdout', async () => {
	const wire = wires['openai-compatible'];
	if (!wire) throw new Error('no such wire');
	const busy = await loopback((response) => json(response, wire.error('overloaded'), 503));
	const good = await loopback(async (response) => {
		await pieces(response, wire.contentType, wire.pieces(summary, 'stop'));
		response.end();
	});
	const link = { provider: 'openai-compatible', maxRetries: 0, apiKey: { env: 'GATEWAY_KEY' } };
	const chain = [
		{ ...link, model: 'busy', baseURL: `${busy.origin}/v1` },
		{ ...link, model: 'good', baseURL: `${good.origin}/v1` },
		{ provider: 'extractive' },
	];
	const daemon = await startDaemon({
		environment: { GATEWAY_KEY: 'key-of-the-gateway' },
		initialize: { initializationOptions: { summarization: { chain } } },
	});
	await begin(daemon, 's', conversation(40, 120));
	const result = await daemon.ask(contextCompact, { sessionId: 's' });
	expect(result?.summary).toMatchObject({
		by: 'good',
		attempts: [
			{ model: 'busy', ok: false, fallback: 'good', failure: { code: 'MODEL_FAILED', retryable: true } },
			{ model: 'good', ok: true },
		],
	});
	expect(result?.summary?.text).toContain('told by the model');
	expect(good.requests[0]?.headers.authorization).toBe('Bearer key-of-the-gateway');
	expect(await daemon.quit()).toBe(0);
	expect(daemon.inbox.every(({ method }) => method === 'window/logMessage')).toBe(true);
	expect(daemon.errors()).not.toContain('key-of-the-gateway');
});
