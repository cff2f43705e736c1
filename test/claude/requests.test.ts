import { describe, expect, it } from 'vitest';
import { answerCompactEvent } from '../../client-claude/src/compaction.ts';
import { Conversations } from '../../client-claude/src/conversations.ts';
import type { FetchResult, Host, HostEvents } from '../../client-claude/src/host.ts';
import { sendWithView } from '../../client-claude/src/requests.ts';
import type { Ask } from '../../kit/ports.ts';

type FetchEvent = HostEvents['http.fetch']['event'];

const url = 'https://api.anthropic.com/v1/messages?beta=true';
const said: string[] = [];

const host = {
	clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) },
	process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
	session: { cwd: async () => '/w', usage: async () => ({ context: { window: 200_000 } }) },
	ui: { status: () => {}, log: (text: string) => void said.push(text) },
} as unknown as Host;

const body = (messages: object[]) =>
	JSON.stringify({
		model: 'claude-opus-5-5',
		metadata: { user_id: JSON.stringify({ session_id: 's' }) },
		tools: [{ name: 'Read' }],
		messages,
	});

/** Returns a simulated provider, which records bodies and answers with these statuses. */
function provider(...statuses: number[]) {
	const bodies: string[] = [];
	const next = async (event: FetchEvent): Promise<FetchResult> => {
		bodies.push(String(event.init.body));
		const status = statuses.shift() ?? 200;
		return { value: { status, ok: status === 200, text: '', isStreaming: true } };
	};
	return { next, bodies };
}

function conversationsOver(ask: Ask) {
	const store = { load: async () => undefined, save: async () => {} };
	return new Conversations(() => ({ ask, store, settings: () => undefined }));
}

const gone = (async () => {
	throw new Error('the daemon is gone');
}) as Ask;

const hello = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

describe('requests without a daemon', () => {
	it('a request without a daemon is sent unchanged, and nothing is reported while no decision is due', async () => {
		said.length = 0;
		const conversations = conversationsOver(gone);
		const { next, bodies } = provider();
		const text = `${body(hello).slice(0, -1)} }`;
		for (let times = 0; times < 2; times++)
			await sendWithView(host, { url, init: { body: text } }, next, conversations);
		expect(bodies).toEqual([text, text]);
		expect(said).toEqual([]);
	});

	it('missed decisions are reported in one line until the daemon answers again, whatever the errors', () => {
		said.length = 0;
		const conversations = conversationsOver(gone);
		for (const why of ['no space left', 'the daemon did not answer in time'])
			conversations.warn(host, new Error(why));
		expect(said).toEqual(['contextd is paused: no space left. Claude Code continues without it']);
		conversations.onAnswer();
		conversations.warn(host, new Error('no space left'));
		expect(said).toHaveLength(2);
	});

	it('a request waits less than a second for a daemon that does not answer', async () => {
		let waited = 0;
		const silent = (async (_method: string, _params: object, { timeoutMs }: { timeoutMs: number }) => {
			waited += timeoutMs;
			throw new Error('late');
		}) as Ask;
		const { next, bodies } = provider();
		await sendWithView(host, { url, init: { body: body(hello) } }, next, conversationsOver(silent));
		expect(waited).toBeGreaterThan(0);
		expect(waited).toBeLessThan(1000);
		expect(bodies).toEqual([body(hello)]);
	});

	it('a refused request without a daemon is passed on, and Claude Code compacts by itself', async () => {
		const conversations = conversationsOver(gone);
		const { next, bodies } = provider(400, 400);
		const { value } = await sendWithView(host, { url, init: { body: body(hello) } }, next, conversations);
		expect(value?.status).toBe(400);
		expect(bodies).toEqual([body(hello), body(hello)]);
		expect(await answerCompactEvent(host, { trigger: 'auto' }, conversations)).toBeUndefined();
	});
});

describe('requests of other kinds', () => {
	it('a request that is not JSON is passed on unchanged', async () => {
		const { next, bodies } = provider(400);
		await sendWithView(host, { url, init: { body: 'not JSON' } }, next, conversationsOver(gone));
		expect(bodies).toEqual(['not JSON']);
	});
});

describe('compactions that are computed ahead', () => {
	it('a compaction ahead of time is declined with a reason', async () => {
		const words = await answerCompactEvent(host, { trigger: 'precompute' }, conversationsOver(gone));
		expect(words).toBe('contextd compacts when it is needed');
	});
});
