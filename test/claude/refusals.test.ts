/** Requests that the provider refuses, with a daemon in this process and a simulated Claude Code. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerCompactEvent } from '../../client-claude/src/compaction.ts';
import { Conversations } from '../../client-claude/src/conversations.ts';
import type { FetchResult, Host, HostEvents, StepResult } from '../../client-claude/src/host.ts';
import { answerUndo } from '../../client-claude/src/lookup.ts';
import { retryRefusedStep } from '../../client-claude/src/refusals.ts';
import { sendWithView } from '../../client-claude/src/requests.ts';
import { restoredText, trialText } from '../../client-claude/src/texts.ts';
import type { Ask } from '../../kit/ports.ts';
import { answered, called, type Native, said } from '../kit/conversations.ts';
import { memoryStore } from '../kit/host.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { soakFactor } from '../support/soak.ts';

type FetchEvent = HostEvents['http.fetch']['event'];

const { start } = startingApps();
const url = 'https://api.anthropic.com/v1/messages?beta=true';
/** Counts the tokens of a body like the provider. */
const tokensOf = (body: string) => Math.ceil(body.length / 4);

/** The provider's answer to a request. */
interface Verdict {
	status: number;
	/** The error text that Claude Code stores; absent if it withholds the text in order to compact by itself. */
	line?: string;
}
const answers: Verdict = { status: 200 };
const heldBack: Verdict = { status: 400 };

const log = (no: number) =>
	Array.from({ length: 60 }, (_, line) => `${no}.${line}: built in ${(line * 31) % 977} ms`).join('\n');
const turn = (no: number): Native[] => [
	said('user', `Please do step ${no}.`),
	called(`call-${no}`, 'Bash', { command: `make step${no}` }),
	answered(`call-${no}`, log(no)),
	said('assistant', `Step ${no} is done.`),
];

/** Returns a simulated Claude Code with contextd, whose conversation has some thousand tokens. */
async function claudeCode() {
	const app = await start({ home: freshFolder() });
	const lines: string[] = [];
	const bodies: string[] = [];
	let stored: { role: string; text: string }[] = [];
	const host = {
		// Timeouts never fire, even on a slow machine. Only the short wait for an error text ends.
		clock: { sleep: (ms: number) => (ms < 1000 ? Promise.resolve() : new Promise<void>(() => {})) },
		process: { hookEnv: async () => ({ CLAUDE_CODE_SESSION_ID: 's' }) },
		session: {
			cwd: async () => '/w',
			usage: async () => ({ context: { window: 200_000 } }),
			messages: async () => stored,
		},
		ui: { status: () => {}, log: (text: string) => void lines.push(text) },
	} as unknown as Host;
	let late = '';
	const ask = (async (method: string, params: object) => {
		const answer = await app.ask({ kind: 'request', method } as never, params as never);
		if (method !== late) return answer;
		late = '';
		throw new Error('the daemon did not answer in time');
	}) as unknown as Ask;
	const store = memoryStore();
	const conversations = new Conversations(() => ({ ask, store, settings: () => undefined }));
	let raw: Native[] = Array.from({ length: 12 }, (_, no) => turn(no)).flat();

	/** Sends one request of a turn; its answer becomes part of the conversation. */
	async function step(verdict: (body: string, no: number) => Verdict, index = 0): Promise<StepResult> {
		let sent = 0;
		const before = raw;
		async function* engine(): AsyncGenerator<unknown, StepResult> {
			let last: Verdict = answers;
			const text = JSON.stringify({
				model: 'claude-sonnet-4-5',
				metadata: { user_id: JSON.stringify({ session_id: 's' }) },
				tools: [{ name: 'Bash' }],
				messages: before,
			});
			const next = async ({ init }: FetchEvent): Promise<FetchResult> => {
				bodies.push(String(init.body));
				last = verdict(String(init.body), sent++);
				return { value: { status: last.status, ok: last.status === 200, text: '', isStreaming: true } };
			};
			await sendWithView(host, { url, init: { body: text } }, next, conversations);
			yield { kind: 'engine' };
			if (last.status !== 200) {
				stored = [
					last.line === undefined ? { role: 'user', text: 'Go.' } : { role: 'assistant', text: last.line },
				];
				return { stopReason: null, usage: null };
			}
			const input = tokensOf(bodies.at(-1) ?? '');
			const usage = {
				input_tokens: input,
				output_tokens: 5,
				cache_read_input_tokens: 0,
				cache_creation_input_tokens: 0,
			};
			return { stopReason: 'end_turn', usage };
		}
		const stream = retryRefusedStep(host, { index }, engine, conversations);
		let item = await stream.next();
		while (!item.done) item = await stream.next();
		conversations.reportUsage(undefined, item.value);
		if (item.value.stopReason !== null) raw = [...before, said('assistant', 'Yes.'), said('user', 'Go on.')];
		return item.value;
	}

	raw.push(said('user', 'Go.'));
	await step(() => answers);
	bodies.length = 0;
	return {
		lines,
		bodies,
		conversations,
		step,
		/** Makes the next answer to a method arrive too late. */
		delay(method: string) {
			late = method;
		},
		/** Returns the sizes, in tokens, of the requests since the last call. */
		sizes: () => bodies.splice(0).map(tokensOf),
		undo: () => answerUndo(host, '', conversations),
		compaction: () => answerCompactEvent(host, { trigger: 'auto' }, conversations),
		stats: () => ask('context/stats', { sessionId: 'claude:s' }, { timeoutMs: 5000 }),
	};
}

/**
 * Makes the provider refuse the whole conversation in two steps, from which the plugin learns the limit. Returns the
 * refused tokens, and a provider that refuses that size.
 */
async function learnLimit(claude: Awaited<ReturnType<typeof claudeCode>>) {
	let most = 0;
	await claude.step((body, no) => {
		if (no < 2) most = tokensOf(body);
		return no < 2 ? heldBack : answers;
	});
	const tooLong = (body: string): Verdict => (tokensOf(body) >= most ? heldBack : answers);
	await claude.step(tooLong, 1);
	return { most, tooLong };
}

describe('refused requests of Claude Code', () => {
	it('a refused request is repeated once, and nothing else follows if it is answered then', async () => {
		const claude = await claudeCode();
		await claude.step((_, no) => (no === 0 ? heldBack : answers));
		expect(claude.bodies).toHaveLength(2);
		expect(claude.bodies[0]).toBe(claude.bodies[1]);
		expect(claude.lines).toEqual([]);
	});

	it.each([
		'Credit balance is too low',
		'API Error: 400 Output blocked by content filtering policy',
		'API Error: 400 messages.1.content.0: Invalid `signature` in `thinking` block',
		'API Error: 400 messages.3.content.0.image: Could not process image',
	])('a refused request leads to no compaction if Claude Code shows "%s"', async (line) => {
		const claude = await claudeCode();
		const { stopReason } = await claude.step(() => ({ status: 400, line }));
		expect(stopReason).toBeNull();
		expect(claude.bodies).toHaveLength(2);
		expect(claude.lines).toEqual([]);
		const [whole] = claude.sizes();
		await claude.step(() => answers);
		expect(claude.sizes()).toEqual([whole]);
	});

	it('an overflow that Claude Code shows leads to a compaction, and its figures to the limit', async () => {
		const claude = await claudeCode();
		const line = 'API Error: 400 prompt (9000 tokens) exceeds the available context size (8000 tokens)';
		await claude.step((_, no) => (no < 2 ? { status: 400, line } : answers));
		const [whole = 0, again, shorter] = claude.sizes();
		expect(again).toBe(whole);
		expect(shorter).toBeLessThan(whole);
		expect(claude.lines).toEqual([
			expect.stringMatching(/^the provider refused 9,000 tokens: the limit is now/),
		]);
		await claude.step(() => answers);
		expect(claude.sizes()[0]).toBeLessThan(whole);
	});

	it('a refusal without an error is tried with a compaction, which is reverted if the full request is answered later', async () => {
		const claude = await claudeCode();
		await claude.step((_, no) => (no < 2 ? heldBack : answers));
		const [whole = 0, , shorter] = claude.sizes();
		expect(shorter).toBeLessThan(whole);
		expect(claude.lines).toEqual([trialText]);
		await claude.step(() => answers, 1);
		const [next = 0, ...more] = claude.sizes();
		expect(next).toBeGreaterThan(whole);
		expect(more).toEqual([]);
		expect(claude.lines).toEqual([trialText, restoredText]);
		expect(await claude.stats()).toMatchObject({ contextWindow: 200_000 });
		expect((await claude.stats())?.isLimitLearned).toBeUndefined();
	});

	it('a second refusal of the full conversation keeps the compaction, reports the limit once, and undo restores all', async () => {
		const claude = await claudeCode();
		const { most, tooLong } = await learnLimit(claude);
		expect(claude.sizes()).toHaveLength(6);
		expect(claude.lines).toEqual([
			trialText,
			expect.stringMatching(/^the provider refused [\d,]+ tokens: the limit/),
		]);
		await claude.step(tooLong, 2);
		expect(claude.sizes()).toHaveLength(1);
		expect(await claude.stats()).toMatchObject({ isLimitLearned: true });
		expect(await claude.undo()).toContain('what it got before');
		expect((await claude.stats())?.isLimitLearned).toBeUndefined();
		await claude.step(() => answers);
		expect(claude.sizes()[0]).toBeGreaterThan(most);
	});

	it('answers of the daemon that arrive too late do not remove a learned limit', async () => {
		const claude = await claudeCode();
		const { tooLong } = await learnLimit(claude);
		const learned = (await claude.stats())?.availableInputTokens;
		for (const method of ['session/append', 'session/open', 'session/append']) {
			claude.delay(method);
			await claude.step(tooLong, 2);
			await claude.step(tooLong, 3);
		}
		expect(await claude.stats()).toMatchObject({ isLimitLearned: true, availableInputTokens: learned });
	});

	it('a refused request keeps its whole history if a shorter one is refused too, and nothing is summarized', async () => {
		const claude = await claudeCode();
		const { stopReason } = await claude.step(() => heldBack);
		expect(stopReason).toBeNull();
		const [whole, again, shorter, last] = claude.sizes();
		expect(again).toBe(whole);
		expect(last).toBe(shorter);
		expect(await claude.compaction()).toContain('not too long');
		expect(claude.lines).toEqual([]);
		await claude.step(() => answers);
		expect(claude.sizes()).toEqual([whole]);
	});

	it('refusals compact at most once a turn, and in at most two turns without an answer', async () => {
		const claude = await claudeCode();
		const lengths: number[] = [];
		for (let no = 0; no < 4; no++) {
			await claude.step(() => heldBack);
			lengths.push(claude.sizes().length);
		}
		expect(lengths).toEqual([4, 4, 2, 2]);
	});

	it('refusals never shorten the conversation unless it was refused again in full after a shorter one was answered', {
		timeout: 120_000,
	}, async () => {
		const verdicts = fc.array(fc.constantFrom(answers, heldBack, { status: 413 }, { status: 529 }), {
			maxLength: 12,
		});
		await fc.assert(
			fc.asyncProperty(verdicts, async (drawn) => {
				const schedule = [...drawn];
				const claude = await claudeCode();
				let refusedInFull = 0;
				let isShorterAnswered = false;
				let full = 0;
				for (let index = 0; schedule.length > 0; index++) {
					full = Math.max(full, ...claude.bodies.map(tokensOf));
					await claude.step((body) => {
						const verdict = schedule.shift() ?? answers;
						const isFull = tokensOf(body) >= full;
						full = Math.max(full, tokensOf(body));
						if (isFull && verdict.status === 400 && isShorterAnswered) refusedInFull++;
						if (isFull && verdict.status === 413 && isShorterAnswered) refusedInFull++;
						if (!isFull && verdict.status === 200) isShorterAnswered = true;
						return verdict;
					}, index % 3);
				}
				await claude.step(() => answers);
				await claude.step(() => answers);
				const last = claude.sizes().at(-1) ?? 0;
				if (refusedInFull < 2) expect(last).toBeGreaterThanOrEqual(full);
			}),
			{ numRuns: 6 * soakFactor },
		);
	});
});
