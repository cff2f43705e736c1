import { expect, it } from 'vitest';
import { answerCompactEvent } from '../../client-claude/src/compaction.ts';
import { Conversations } from '../../client-claude/src/conversations.ts';
import type { FetchResult, Host, HostEvents, StepResult } from '../../client-claude/src/host.ts';
import { answerCommand } from '../../client-claude/src/lookup.ts';
import { retryRefusedStep } from '../../client-claude/src/refusals.ts';
import { sendWithView } from '../../client-claude/src/requests.ts';
import type { Ask } from '../../kit/ports.ts';

type FetchEvent = HostEvents['http.fetch']['event'];

/** Returns a simulated host and its session in which contextd is off, with the requested methods and shown texts. */
async function turnedOff() {
	const asked: string[] = [];
	const shown: (string | undefined)[] = [];
	const saved = new Map<string, string>();
	const host = {
		clock: { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) },
		process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
		session: { messages: async () => [] },
		ui: { status: (text: string | undefined) => void shown.push(text), log: () => {} },
	} as unknown as Host;
	const ask = (async (method: string) => {
		asked.push(method);
		throw new Error('the daemon is gone');
	}) as Ask;
	const store = {
		load: async (id: string) => saved.get(id),
		save: async (id: string, text: string) => void saved.set(id, text),
	};
	const open = () => new Conversations(() => ({ ask, store, settings: () => undefined }));
	const words = await answerCommand(host, 'off', open());
	return { host, asked, shown, words, conversations: open() };
}

function request(agent?: string): FetchEvent {
	const body = JSON.stringify({
		model: 'claude-opus-5-5',
		metadata: { user_id: JSON.stringify({ session_id: 's' }) },
		tools: [{ name: 'Read' }],
		messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
	});
	const headers: Record<string, string> = agent === undefined ? {} : { 'x-claude-code-agent-id': agent };
	return { url: 'https://api.anthropic.com/v1/messages', init: { headers, body } };
}

it('the plugin sends requests of the session and its subagents unchanged, each once, while contextd is off', async () => {
	const { host, asked, shown, words, conversations } = await turnedOff();
	expect(words).toContain('contextd is off in this session');
	expect(words).toContain('Turn it on: /contextd on');
	expect(shown).toEqual(['contextd is off']);
	for (const event of [request(), request('explore')]) {
		const sent: FetchEvent[] = [];
		const next = async (passed: FetchEvent): Promise<FetchResult> => {
			sent.push(passed);
			return { value: { status: 400, ok: false, text: '' } };
		};
		await sendWithView(host, event, next, conversations);
		expect(sent).toEqual([event]);
	}
	expect(asked).toEqual([]);
});

it('the plugin leaves every compaction to Claude Code while contextd is off', async () => {
	const { host, asked, conversations } = await turnedOff();
	for (const trigger of ['auto', 'manual', 'precompute'] as const) {
		expect(await answerCompactEvent(host, { trigger }, conversations)).toBeUndefined();
		expect(await answerCompactEvent(host, { trigger, agentId: 'explore' }, conversations)).toBeUndefined();
	}
	expect(asked).toEqual([]);
});

it('the plugin does not shorten a refused request while contextd is off', async () => {
	const { host, conversations } = await turnedOff();
	let steps = 0;
	// biome-ignore lint/correctness/useYield: a refused request yields nothing.
	const next = async function* (): AsyncGenerator<unknown, StepResult> {
		steps++;
		return { stopReason: null, usage: null };
	};
	const step = retryRefusedStep(host, { index: 0 }, next, conversations);
	expect((await step.next()).done).toBe(true);
	expect(steps).toBe(1);
});
