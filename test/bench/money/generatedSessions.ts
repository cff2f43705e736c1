/**
 * Generated sessions with the growth, pauses and lengths of recorded sessions. In 23 recorded sessions with 2,278 requests,
 * the prompt grew by 550 tokens per request at the median and 1,330 on average, a turn had 9 requests on average, and the
 * pause before a turn was 90 seconds at the median, in 19% of cases more than five minutes and in 2% more than an hour.
 */

import { lookupCacheRules, PromptCache } from '../../../server/core/cost/cacheModel.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';
import type { RecordedSession, SessionRequest } from './corpusSessions.ts';

/** The properties that differ between generated sessions. */
interface Setup {
	agent: string;
	provider: string;
	model: string;
	/** Tokens of system prompt and tools. */
	head: number;
	/** Tokens of the model's window. */
	window: number;
	/** Tokens of the prompt at which the agent compacts. */
	trigger: number;
	/** Whether the client asks for a cache of an hour. */
	isForHour?: true;
}

const usual = { window: 200_000, trigger: 167_000 };
const long = { window: 1_000_000, trigger: 967_000 };

const setups: readonly Setup[] = [
	{ agent: 'claude-code', provider: 'anthropic', model: 'claude-sonnet-4-5', head: 18_000, ...usual },
	{
		agent: 'claude-code',
		provider: 'anthropic',
		model: 'claude-opus-4-6',
		head: 25_000,
		...usual,
		isForHour: true,
	},
	{
		agent: 'claude-code',
		provider: 'anthropic',
		model: 'claude-sonnet-5',
		head: 25_000,
		...long,
		isForHour: true,
	},
	{
		agent: 'opencode',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		head: 12_000,
		window: 200_000,
		trigger: 160_000,
	},
	{
		agent: 'pi',
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		head: 3000,
		window: 200_000,
		trigger: 183_616,
	},
	{
		agent: 'codex',
		provider: 'openai',
		model: 'gpt-5.1-codex',
		head: 9000,
		window: 272_000,
		trigger: 244_800,
	},
];

/** Generator of numbers in [0, 1), the same for the same seed. */
class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed;
	}

	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	}

	/** Returns a number whose logarithm has a normal distribution. */
	logNormal(median: number, sigma: number): number {
		const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
		return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * this.next()));
	}
}

const maxRequests = 500;
const maxGrowth = 40_000;
const meanTurnRequests = 9;
/** Tokens of the history after the agent's own compaction. */
const ownRemainingTokens = 6000;

function generate(setup: Setup, seed: number): RecordedSession {
	const { agent, provider, model, head, window, trigger, isForHour } = setup;
	const random = new Random(seed);
	const rules = lookupCacheRules(provider, model);
	const cache = new PromptCache(isForHour ? { ...rules, lifetimeMs: 3_600_000 } : rules);
	const count = Math.min(maxRequests, Math.round(4 + random.logNormal(72, 1)));
	const requests: SessionRequest[] = [];
	let at = 0;
	let prompt = 0;
	for (let index = 0; index < count; index++) {
		const startsTurn = index === 0 || random.next() < 1 / meanTurnRequests;
		const growth = Math.round(Math.min(maxGrowth, random.logNormal(550, 1.3)));
		const isCompacted = prompt + growth > trigger;
		const unchanged = isCompacted ? head : prompt;
		prompt = growth + (index === 0 ? head + 2000 : isCompacted ? head + ownRemainingTokens : prompt);
		at += 1000 * (startsTurn && index > 0 ? random.logNormal(90, 1.4) : random.logNormal(6, 0.7));
		const { read, write, input } = cache.simulate({
			at,
			promptTokens: prompt,
			unchangedTokens: unchanged,
			headTokens: head,
		});
		const usage: Usage = {
			input,
			cacheRead: read,
			cacheWrite: write,
			output: Math.round(random.logNormal(150, 1)),
		};
		if (isForHour) usage.cacheWriteForHour = write;
		const newChars = Math.round(3.5 * (index === 0 ? 2000 + growth : growth));
		requests.push({ at: Math.round(at), model, usage, isCompacted, startsTurn, newBlocks: 2, newChars });
	}
	return { name: `${agent}-${model}-${seed}`, agent, provider, model, contextWindow: window, requests };
}

/** Generates sessions, the same at each call, `perSetup` for each agent and model. */
export function generateSessions(perSetup: number): RecordedSession[] {
	return setups.flatMap((setup, index) =>
		Array.from({ length: perSetup }, (_, number) => generate(setup, 1 + index * 10_000 + number)),
	);
}
