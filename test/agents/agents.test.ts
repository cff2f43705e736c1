/**
 * Real agents, installed from the npm registry, that work against a provider on loopback with known figures. These tests
 * run if `CONTEXTD_REAL_AGENTS` is set, as in CI. Each agent runs a short session, and a session that the agent compacts
 * by itself. Each test checks one kind of figure that contextd shows during these sessions.
 */

import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { ContextStats } from '../../server/protocol/stats.ts';
import type { Transcript } from '../../server/protocol/transcript.ts';
import { isOwnCompaction, listStatsBefore, type WalkStep, walkTranscript } from '../support/walk.ts';
import { type RealAgent, realAgents } from './agents.ts';
import { areAgentsWanted, type Installed, install, needsAgents } from './install.ts';
import type { Exchange } from './mock/server.ts';
import { type AgentSession, startSession } from './session.ts';
import { contextd, watching } from './terminal.ts';

/** Time after which no further agent is started, by `performance.now()`; running agents may take some minutes more. */
const lastStart = performance.now() + 8 * 60_000;
const times = { install: 170_000, session: 200_000 };

/** The work that makes an agent compact by itself. */
interface Filling {
	/** Tokens of the prompt near which the agent compacts. */
	compactsNear: number;
	/** Characters of the documents that the agent reads in each turn until it has compacted. A list is read at once. */
	turns: readonly (readonly (number | readonly number[])[])[];
}

/** Returns lengths of documents of about 9,000 tokens each, which fill the window quickly. */
const large = (count: number) => Array.from({ length: count }, () => 36_000);
/** Returns lengths of documents of about 3,000 tokens each, for the last steps before the limit. */
const small = (count: number) => Array.from({ length: count }, () => 12_000);
/** Returns groups of four large documents; the documents of a group are read at once. */
const fourLarge = (count: number) => Array.from({ length: count }, () => large(4));

const fillings: Readonly<Record<string, Filling>> = {
	'claude-code': { compactsNear: 150_000, turns: [[...large(10), ...small(12)]] },
	// Codex truncates the output of commands, so large documents are useless.
	codex: { compactsNear: 150_000, turns: [small(60)] },
	pi: { compactsNear: 150_000, turns: [[...large(13), ...small(12)], small(1), small(1)] },
	// OpenCode decides by the usage of the last answer, which does not include the document that is read next.
	opencode: { compactsNear: 400_000, turns: [[...fourLarge(9), large(3), ...small(9)]] },
	// When a prompt arrives, Gemini CLI decides by the usage of the previous answer.
	'gemini-cli': {
		compactsNear: 200_000,
		turns: [[...fourLarge(4), ...small(6)], ...Array.from({ length: 14 }, () => small(1))],
	},
};

/** The tokens of a request, and the figure that contextd showed directly before the request. */
interface Moment {
	sent: number;
	followed: Pick<ContextStats, 'estimatedInputTokens' | 'source'> | null;
	watched?: number;
}

/** Observations in a session of two turns, and in the session after it. */
interface ShortSession {
	/** Figures directly before each request that follows tool results. */
	between: Moment[];
	/** After each turn: the provider's count, and the shown figures. */
	turns: (Moment & { stats: ContextStats })[];
	/** Figures of the session that begins after the first one. */
	other: { sent: number; watched?: number };
	found: Transcript[];
	listed: string;
}

/** Observations in a session that its agent compacted. */
interface LongSession {
	exchanges: readonly Exchange[];
	/** Figures directly after the agent's compaction. */
	afterwards?: Moment;
	/** Tokens of the last request. */
	sent: number;
	stats: ContextStats | null;
	steps: WalkStep[];
	exported: string;
}

/** Allowed ratios of an estimate to the provider's count, which in these tests is a quarter of the characters. */
const nearRatios = { from: 0.9, to: 1.1 };
/** Allowed ratios after a compaction, when the summary and the files that are read again are only estimated. */
const nearAfterCompaction = { from: 0.85, to: 1.15 };

function isNear(tokens: number, sent: number): boolean {
	return tokens > nearRatios.from * sent && tokens < nearRatios.to * sent;
}

/** Returns whether a session has its final title: OpenCode calls it "New session" until a model has answered. */
function hasFinalTitle({ title }: Transcript): boolean {
	return title !== undefined && !title.startsWith('New session');
}

async function shortSession(agent: RealAgent, installed: Installed): Promise<ShortSession> {
	const between: Moment[] = [];
	let isFirst = true;
	const session = await startSession(agent, installed, {
		async asked({ kind, tokens: sent }) {
			if (kind !== 'main') return;
			if (!isFirst) {
				const followed = (await session.statsOnce((now) => isNear(now.estimatedInputTokens, sent))) ?? null;
				const watched = await watch.figureOnce((tokens) => isNear(tokens, sent));
				between.push({ sent, followed, watched });
			}
			isFirst = false;
		},
	});
	const watch = watching(session);
	const turns: ShortSession['turns'] = [];
	const turn = async (documents: readonly number[]): Promise<number> => {
		isFirst = true;
		await session.turn(documents);
		return countReportedTokens(session);
	};
	try {
		for (const documents of [small(2), small(1)]) {
			const sent = await turn(documents);
			const followed = await session.statsOnce((now) => now.estimatedInputTokens === sent);
			const watched = await watch.figureOnce((tokens) => tokens === sent);
			const [path = ''] = (await session.found()).map((one) => one.path);
			const stats = JSON.parse(await contextd(session, ['stats', path, '--json']));
			turns.push({ sent, followed, watched, stats });
		}
		session.beginAnother();
		const sent = await turn([]);
		const watched = await watch.figureOnce((tokens) => tokens === sent);
		const found = await session.foundOnce((all) => all.filter(hasFinalTitle).length > 1);
		return { between, turns, other: { sent, watched }, found, listed: await contextd(session, ['sessions']) };
	} finally {
		await watch.end();
		await session.end();
	}
}

async function longSession(agent: RealAgent, installed: Installed): Promise<LongSession> {
	const { compactsNear, turns } = fillings[agent.name] as Filling;
	let isCompacted = false;
	let afterwards: Moment | undefined;
	const session = await startSession(agent, installed, {
		compactsNear,
		// After a resume, Gemini CLI sends each result twice, which would enlarge its requests.
		isOneProcess: true,
		async asked({ kind, tokens: sent }) {
			if (kind === 'compaction') isCompacted = true;
			if (kind !== 'main' || !isCompacted || afterwards !== undefined) return;
			// The figure before the compaction is far above the one after it.
			const followed = await session.statsOnce((now) => now.estimatedInputTokens < 0.8 * compactsNear);
			afterwards = { sent, followed };
		},
	});
	try {
		for (const documents of turns) {
			if (afterwards === undefined) await session.turn(documents);
		}
		const sent = countReportedTokens(session);
		const stats = await session.statsOnce((now) => now.estimatedInputTokens === sent);
		const [path = ''] = (await session.found()).map((one) => one.path);
		const { home } = session;
		const steps = await walkTranscript(path, { environment: {}, home, platform: process.platform });
		const whole = ['export', path, '-f', 'anthropic', '--target', '10000000', '-o', '-'];
		const exported = await contextd(session, whole);
		return { exchanges: session.mock.exchanges, afterwards, sent, stats, steps, exported };
	} finally {
		await session.end();
	}
}

describe.skipIf(!areAgentsWanted).each(realAgents)('$name', needsAgents, (agent) => {
	let installed: Installed | undefined;
	let missing = '';

	beforeAll(async () => {
		if (performance.now() > lastStart) missing = 'no time is left for this agent';
		else {
			try {
				installed = await install(agent);
			} catch (error) {
				missing = error instanceof Error ? error.message : String(error);
			}
		}
		if (missing !== '') console.warn(`${agent.name} is not tried: ${missing}`);
	}, times.install);

	/** Returns the observations of a session; skips or fails the test if the agent could not be run. */
	const required = <Seen>(seen: Seen | undefined, context: TestContext): Seen => {
		if (seen === undefined) context.skip(missing || 'no time is left');
		return seen as Seen;
	};

	describe('in a session of two turns, and another session', () => {
		let seen: ShortSession | undefined;

		beforeAll(async () => {
			if (installed && performance.now() < lastStart) seen = await shortSession(agent, installed);
		}, times.session);

		it('sessions lists both sessions once, under their titles', (context) => {
			const { found, listed } = required(seen, context);
			// Gemini CLI leaves an empty transcript behind with each resume.
			const titled = found.filter(({ title }) => title !== undefined);
			expect(titled, JSON.stringify(found)).toHaveLength(2);
			for (const one of titled) {
				expect(one).toMatchObject({
					agent: agent.name,
					title: expect.stringContaining('read the documents'),
				});
			}
			expect(listed.split('Please read the documents').length - 1).toBe(2);
		});

		it('contextd stats shows the figure that the provider counted for the file', (context) => {
			const { turns } = required(seen, context);
			expect(turns).toHaveLength(2);
			for (const { stats, sent } of turns) {
				expect(stats).toMatchObject({
					agent: agent.name,
					source: 'reported',
					estimatedInputTokens: sent,
				});
			}
		});

		it('watch shows each answer, the messages after it, and the next session', (context) => {
			const { between, turns, other } = required(seen, context);
			expect(between).toHaveLength(3);
			for (const { watched = 0, sent } of between) expectNear(watched / sent, nearRatios);
			for (const { watched, sent } of turns) expect(watched).toBe(sent);
			expect(other.watched).toBe(other.sent);
		});

		it('import with follow is anchored between answers, and matches the provider’s figure after each', (context) => {
			const { between, turns } = required(seen, context);
			expect(between).toHaveLength(3);
			for (const { followed, sent } of between) {
				expect(followed?.source).toBe('anchored');
				expectNear((followed?.estimatedInputTokens ?? 0) / sent, nearRatios);
			}
			for (const { followed, sent } of turns) {
				expect(followed).toMatchObject({ source: 'reported', estimatedInputTokens: sent });
			}
		});
	});

	describe('in a session that the agent compacts by itself', () => {
		let seen: LongSession | undefined;

		beforeAll(async () => {
			if (installed && performance.now() < lastStart) seen = await longSession(agent, installed);
		}, times.session);

		it('stats is right directly after the agent’s own compaction, and names who compacted', (context) => {
			const { afterwards, sent, stats } = required(seen, context);
			const { followed, sent: next = 1 } = afterwards ?? {};
			expectNear((followed?.estimatedInputTokens ?? 0) / next, nearAfterCompaction);
			expect(stats).toMatchObject({
				estimatedInputTokens: sent,
				lastCompaction: { byAgent: true, undone: false },
			});
		});

		it('export contains the agent’s newest request, each document once', (context) => {
			const { exchanges, exported } = required(seen, context);
			const newest = exchanges.findLast(({ request }) => request.kind === 'main');
			expect(documentsIn(exported)).toEqual(documentsIn(JSON.stringify(newest?.request.body)));
		});

		it('stats never reports an overflow at an answer', (context) => {
			const { steps } = required(seen, context);
			const answers = steps.filter(({ answered }) => answered !== undefined);
			expect(answers.length).toBeGreaterThan(0);
			for (const { stats, answered } of answers) {
				expect(stats.state).not.toBe('overflow');
				expect(answered).toBeLessThanOrEqual(stats.contextWindow);
			}
		});

		it('stats reaches the agent’s limit when the agent compacts, in steps of three thousand tokens', (context) => {
			const { steps, exchanges, stats } = required(seen, context);
			const compacting = listStatsBefore(steps, isCompaction);
			expect(compacting).toHaveLength(1);
			for (const { estimatedInputTokens, limit } of compacting) {
				expectNear(estimatedInputTokens / (limit?.tokens ?? 0), fullRatios);
			}
			const { step, tokens } = lastBeforeCompaction(exchanges);
			expectNear(step / 3000, { from: 0.85, to: 1.2 });
			expectNear(tokens / (stats?.limit?.tokens ?? 0), fullRatios);
		});
	});
});

/** Allowed sizes of a prompt at which an agent compacts by itself, as shares of the limit that contextd shows. */
const fullRatios = { from: 0.88, to: 1.02 };

function expectNear(ratio: number, { from, to }: { from: number; to: number }): void {
	expect(ratio).toBeGreaterThan(from);
	expect(ratio).toBeLessThan(to);
}

/** Returns the tokens of the session's newest request with its answer, as the provider reported them; 0 before any. */
function countReportedTokens(of: AgentSession): number {
	const newest = of.mock.exchanges.findLast(({ request }) => request.kind === 'main');
	return newest === undefined ? 0 : newest.answer.usage.input + newest.answer.usage.output;
}

/** Returns the numbers of the documents that begin in a text, once per occurrence. */
function documentsIn(text: string): number[] {
	const beginnings = text.matchAll(/\b1\. The queue of document (\d+) holds/g);
	return [...beginnings].map(([, no]) => Number(no)).sort((a, b) => a - b);
}

/**
 * Returns the tokens of the last prompt before the first compaction (`tokens`, with its answer and the document that the
 * answer asked for), and the tokens that a document adds to a prompt (`step`).
 */
function lastBeforeCompaction(exchanges: readonly Exchange[]): { tokens: number; step: number } {
	const compaction = exchanges.findIndex(({ request }) => request.kind === 'compaction');
	const asked = exchanges.slice(0, compaction).filter(({ request }) => request.kind === 'main');
	const grown = asked.map(({ request }, index) => {
		const previous = asked[index - 1];
		const calls = previous?.answer.calls.length ?? 0;
		return previous && calls > 0
			? request.tokens - previous.request.tokens - previous.answer.usage.output
			: 0;
	});
	const step = grown.findLast((tokens) => tokens > 0) ?? 0;
	const last = asked.at(-1);
	if (last === undefined) return { tokens: 0, step };
	const followed = last.answer.calls.length > 0 ? step : 0;
	return { tokens: last.answer.usage.input + last.answer.usage.output + followed, step };
}

/** Returns whether a record belongs to a compaction. Gemini CLI writes the remaining session instead of such a record. */
function isCompaction(step: WalkStep, previous: WalkStep): boolean {
	return isOwnCompaction(step) || step.stats.estimatedInputTokens < previous.stats.estimatedInputTokens / 2;
}
