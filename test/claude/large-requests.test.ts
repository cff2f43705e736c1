import { expect, it } from 'vitest';
import { Conversations } from '../../client-claude/src/conversations.ts';
import type { FetchResult, Host, HostEvents } from '../../client-claude/src/host.ts';
import { sendWithView } from '../../client-claude/src/requests.ts';
import type { Ask } from '../../kit/ports.ts';
import { machineSlowness, processorClock } from '../support/processorClock.ts';

const host = {
	plugin: { root: '/plugin' },
	fs: { read: async () => '{"argv": [], "settings": "/none"}' },
	clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms).unref()) },
	process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
	session: { cwd: async () => '/w', usage: async () => ({ context: { window: 1_000_000 } }) },
	ui: { status: () => {}, log: () => {} },
} as unknown as Host;

const lines = (no: number) =>
	Array.from({ length: 60 }, (_, at) => `${no}.${at} a line of a result`).join('\n');

/** Returns a conversation with `calls` calls, each with a thought. */
function conversation(calls: number): object[] {
	const steps = Array.from({ length: calls }, (_, no) => [
		{
			role: 'assistant',
			content: [
				{ type: 'thinking', thinking: `What does ${no} say?`, signature: `c2ln${no}` },
				{ type: 'tool_use', id: `call-${no}`, name: 'Bash', input: { command: `say ${no}` } },
			],
		},
		{ role: 'user', content: [{ type: 'tool_result', tool_use_id: `call-${no}`, content: lines(no) }] },
	]);
	return [{ role: 'user', content: [{ type: 'text', text: 'Go on.' }] }, ...steps.flat()];
}

const body = (calls: number): string =>
	JSON.stringify({
		model: 'claude-opus-5-5',
		metadata: { user_id: JSON.stringify({ session_id: 's' }) },
		system: [{ type: 'text', text: 'Be brief. '.repeat(2000) }],
		tools: Array.from({ length: 30 }, (_, no) => ({ name: `tool${no}`, description: 'words '.repeat(300) })),
		messages: conversation(calls),
	});

it('a request of a megabyte takes less than 60 ms of processor time, and only new messages go to the daemon', async () => {
	let told = 0;
	const ask = (async (method: string, params: object) => {
		told += JSON.stringify(params).length;
		return method === 'context/stats'
			? {
					estimatedInputTokens: 1000,
					availableInputTokens: 900_000,
					usageRatio: 0.1,
					breakdown: {},
					thresholds: {},
				}
			: { created: true, messageCount: 0 };
	}) as unknown as Ask;
	const store = { load: async () => undefined, save: async () => {} };
	const conversations = new Conversations(() => ({ ask, store, settings: () => undefined }));
	const next = async (): Promise<FetchResult> => ({ value: { status: 200, ok: true, text: '' } });

	const costs: number[] = [];
	for (let calls = 500; calls < 516; calls++) {
		const event = { url: 'https://api.anthropic.com/v1/messages', init: { body: body(calls) } };
		expect(event.init.body.length).toBeGreaterThan(1_000_000);
		if (calls === 501) told = 0;
		const spent = processorClock();
		await sendWithView(host, event as HostEvents['http.fetch']['event'], next, conversations);
		costs.push(spent());
	}
	expect(Math.min(...costs)).toBeLessThan(60 * machineSlowness());
	expect(told / 15).toBeLessThan(10_000);
});
