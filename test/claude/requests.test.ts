import { describe, expect, it } from 'vitest';
import { compactionAnswer } from '../../client-claude/src/compaction.ts';
import { heldConversations } from '../../client-claude/src/conversations.ts';
import type { Events, FetchResult, Host } from '../../client-claude/src/host.ts';
import { sendWithView } from '../../client-claude/src/requests.ts';
import type { Ask } from '../../kit/ports.ts';

type FetchEvent = Events['http.fetch']['event'];

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

/** Claude Code's own end: says what it was handed, and answers with these statuses. */
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
	return heldConversations(() => ({ ask, store, settings: () => undefined }));
}

const gone = (async () => {
	throw new Error('the daemon is gone');
}) as Ask;

const hello = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

describe('a request where the daemon is away', () => {
	it('goes out as Claude Code wrote it, to the byte, and says so in one line', async () => {
		said.length = 0;
		const conversations = conversationsOver(gone);
		const { next, bodies } = provider();
		const text = `${body(hello).slice(0, -1)} }`;
		for (let times = 0; times < 2; times++)
			await sendWithView(host, { url, init: { body: text } }, next, conversations);
		expect(bodies).toEqual([text, text]);
		expect(said).toEqual(['stands aside: the daemon is gone']);
	});

	it('waits no longer for a daemon that does not answer than it may', async () => {
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

	it('is handed back with its refusal, and the compaction that follows goes its own way', async () => {
		const conversations = conversationsOver(gone);
		const { next, bodies } = provider(400);
		const { value } = await sendWithView(host, { url, init: { body: body(hello) } }, next, conversations);
		expect(value?.status).toBe(400);
		expect(bodies).toHaveLength(1);
		expect(await compactionAnswer(host, { trigger: 'auto' }, conversations)).toBeUndefined();
	});
});

describe('a request that is none of a conversation', () => {
	it('is not looked at', async () => {
		const { next, bodies } = provider(400);
		await sendWithView(host, { url, init: { body: 'not JSON' } }, next, conversationsOver(gone));
		expect(bodies).toEqual(['not JSON']);
	});
});

describe('a compaction that is computed ahead', () => {
	it('is never computed', async () => {
		const words = await compactionAnswer(host, { trigger: 'precompute' }, conversationsOver(gone));
		expect(words).toBe('contextd makes room when it is needed');
	});
});

describe('a refusal', () => {
	/** A daemon that makes room for whatever was refused, and what it was asked. */
	function makingRoom(estimatedInputTokens: number) {
		const asked: string[] = [];
		const receipt = { compacted: true, compactionId: 'c1', tokensBefore: 900, tokensAfter: 100 };
		const stats = { estimatedInputTokens, availableInputTokens: 150_000, thresholds: {}, breakdown: {} };
		const answers: Record<string, unknown> = {
			'session/open': { created: false, messageCount: 0, messages: [], messageIds: [] },
			'context/stats': { ...stats, lastCompaction: { compactionId: 'c1', undone: false } },
			'context/recover': { compaction: receipt, messages: [] },
			'context/undo': { undone: ['c1'], stats: null },
		};
		const ask = (async (method: string) => {
			asked.push(method);
			return answers[method] ?? {};
		}) as unknown as Ask;
		return { asked, conversations: conversationsOver(ask) };
	}
	const more = [...hello, { role: 'assistant', content: 'Hello.' }, { role: 'user', content: 'Go on.' }];

	it.each([
		[
			'of what is smaller than a prompt that was answered is none of size: the room is taken back',
			40_000,
			true,
		],
		['of what is larger may be one of size: the room stays', 60_000, false],
	])('%s', async (_what, tokens, isTakenBack) => {
		const { asked, conversations } = makingRoom(tokens);
		const { next } = provider(400, 400, 400);
		const held = await conversations.current({ ...host } as Host, undefined);
		Object.assign(held, { model: 'claude-opus-5-5', answered: 50_000 });
		const { value } = await sendWithView(host, { url, init: { body: body(more) } }, next, conversations);
		expect(value?.status).toBe(400);
		expect(asked.includes('context/undo')).toBe(isTakenBack);
		// The window is as it was before anything is taken back.
		if (isTakenBack)
			expect(asked.lastIndexOf('session/update')).toBeGreaterThan(asked.lastIndexOf('context/recover'));
	});
});
