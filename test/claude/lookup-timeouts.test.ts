import { expect, it } from 'vitest';
import { Conversations } from '../../client-claude/src/conversations.ts';
import type { Host } from '../../client-claude/src/host.ts';
import { answerCommand, answerPin, answerRecall, answerStats } from '../../client-claude/src/lookup.ts';
import type { Ask } from '../../kit/ports.ts';
import { timeouts } from '../../kit/timeouts.ts';

it('no lookup occupies the channel longer than a request to the model may wait for a decision', async () => {
	const asked: { method: string; timeoutMs: number }[] = [];
	const ask = (async (method: string, _params: unknown, { timeoutMs }: { timeoutMs: number }) => {
		asked.push({ method, timeoutMs });
		if (method === 'context/recall')
			return { matches: [{ messageId: 'm', role: 'user', excerpt: 'Hi' }], total: 1 };
		return { sessions: [], stats: null, pinned: [] };
	}) as unknown as Ask;
	const host = {
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) },
		process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
		ui: { status: () => {}, log: () => {} },
	} as unknown as Host;
	const store = { load: async () => undefined, save: async () => {} };
	const conversations = new Conversations(() => ({ ask, store, settings: () => undefined }));

	await answerRecall(host, { query: 'two words' }, conversations);
	await answerRecall(host, { query: 'two words', everywhere: true }, conversations);
	await answerRecall(host, { query: 'm1' }, conversations);
	await answerStats(host, {}, conversations);
	await answerCommand(host, '', conversations);
	await answerPin(host, 'two words', conversations);

	const methods = new Set(asked.map(({ method }) => method));
	expect([...methods]).toEqual(
		expect.arrayContaining(['context/recall', 'context/original', 'context/stats', 'context/pin']),
	);
	expect(Math.max(...asked.map(({ timeoutMs }) => timeoutMs))).toBeLessThanOrEqual(timeouts.decision);
});
