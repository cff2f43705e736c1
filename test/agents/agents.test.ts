/**
 * Real agents, installed from the npm registry, at work against a provider on loopback whose figures are known. They
 * run where `CONTEXTD_REAL_AGENTS` is set, as it is in CI.
 */

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { needs } from '../support/needs.ts';
import { before, isOwnCompaction, type WalkStep, walkTranscript } from '../support/walk.ts';
import { realAgents } from './agents.ts';
import { type Installed, install } from './install.ts';
import type { Exchange } from './mock/server.ts';
import { type AgentSession, startSession } from './session.ts';

const isWanted = Boolean(process.env.CONTEXTD_REAL_AGENTS);
const needsAgents = needs('real agents from the npm registry: set CONTEXTD_REAL_AGENTS=1');
/** Milliseconds after which no more agents are started: all of them together take at most some minutes more. */
const lastStart = performance.now() + 8 * 60_000;
const times = { install: 170_000, test: 200_000 };

/** How an agent is brought to compact by itself. */
interface Filling {
	/** Tokens. */
	compactsNear: number;
	/** Characters of the documents that it reads, turn by turn, until it has compacted. */
	turns: readonly (readonly number[])[];
}

/** Documents of some ten thousand tokens to fill up, and of some three thousand for the last steps. */
const large = (count: number) => Array.from({ length: count }, () => 36_000);
const small = (count: number) => Array.from({ length: count }, () => 12_000);
/** Some nine hundred tokens. */
const tiny = (count: number) => Array.from({ length: count }, () => 3000);

const fillings: Readonly<Record<string, Filling>> = {
	'claude-code': { compactsNear: 150_000, turns: [[...large(10), ...small(12)]] },
	// It cuts the output of commands, so that no document is large.
	codex: { compactsNear: 150_000, turns: [small(60)] },
	pi: { compactsNear: 150_000, turns: [[...large(13), ...small(12)], small(1), small(1)] },
	// It decides by the answer's figure alone, so that another document may come on top of it.
	opencode: { compactsNear: 200_000, turns: [[...large(18), ...tiny(40)]] },
	// It decides at a prompt; from some eighty thousand on it cuts old outputs instead.
	'gemini-cli': { compactsNear: 60_000, turns: [small(14), ...Array.from({ length: 9 }, () => tiny(1))] },
};

let session: AgentSession | undefined;
let watch: ReturnType<typeof watching> | undefined;

afterEach(async () => {
	await watch?.end();
	await session?.end();
	watch = undefined;
	session = undefined;
});

describe.skipIf(!isWanted).each(realAgents)('$name', isWanted ? {} : needsAgents, (agent) => {
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

	/** The agent, or the end of the test where it could not be installed. */
	const required = (context: TestContext): Installed => {
		const isLate = performance.now() > lastStart;
		if (installed === undefined || missing !== '' || isLate) context.skip(missing || 'no time is left');
		return installed as Installed;
	};

	it('is found, measured to the figure, followed and watched', { timeout: times.test }, async (context) => {
		session = await startSession(agent, required(context));
		watch = watching(session);
		await session.turn(small(2));
		const first = await session.statsOnce((stats) => stats.estimatedInputTokens === truth(session));
		expect(first).toMatchObject({ source: 'reported', estimatedInputTokens: truth(session) });

		await session.turn(small(1));
		const second = await session.statsOnce((stats) => stats.estimatedInputTokens === truth(session));
		expect(second).toMatchObject({ source: 'reported', estimatedInputTokens: truth(session) });

		const found = await session.found();
		expect(found[0]).toMatchObject({
			agent: agent.name,
			title: expect.stringContaining('read the documents'),
		});
		// Gemini CLI leaves an empty one behind with each resume.
		expect(found.filter(({ title }) => title !== undefined)).toHaveLength(1);
		expect(await contextd(session, ['sessions'])).toContain('Please read the documents');
		const stats = JSON.parse(await contextd(session, ['stats', found[0]?.path ?? '', '--json']));
		expect(stats.estimatedInputTokens).toBe(truth(session));
		expect(await watch.shows(truth(session))).toBe(true);
	});

	it('is read right over its own compaction, and never beyond its limit', {
		timeout: times.test,
	}, async (context) => {
		const filling = fillings[agent.name] as Filling;
		const { compactsNear } = filling;
		let afterwards: { held: number; sent: number } | undefined;
		let isCompacted = false;
		session = await startSession(agent, required(context), {
			compactsNear,
			// After a resume Gemini CLI sends each result twice, so that it holds more than it was answered.
			isOneProcess: true,
			async asked(request) {
				if (request.kind === 'compaction') isCompacted = true;
				if (request.kind !== 'main' || !isCompacted || afterwards !== undefined) return;
				// What it held before is far above what it sends now.
				const stats = await session?.statsOnce((now) => now.estimatedInputTokens < 0.8 * compactsNear);
				afterwards = { held: stats?.estimatedInputTokens ?? 0, sent: request.tokens };
			},
		});
		for (const documents of filling.turns) {
			if (afterwards === undefined) await session.turn(documents);
		}
		expect(isCompacted).toBe(true);
		const stats = await session.statsOnce((now) => now.estimatedInputTokens === truth(session));
		expect(stats?.estimatedInputTokens).toBe(truth(session));
		expect(stats?.lastCompaction).toMatchObject({ byAgent: true, undone: false });

		const { held = 0, sent = 1 } = afterwards ?? {};
		expect(held / sent).toBeGreaterThan(0.85);
		expect(held / sent).toBeLessThan(1.15);

		const [path = ''] = (await session.found()).map((one) => one.path);
		const steps = await walkTranscript(path, {
			environment: {},
			home: session.home,
			platform: process.platform,
		});
		for (const { stats: shown, answered } of steps) {
			if (answered === undefined) continue;
			expect(shown.state).not.toBe('overflow');
			expect(answered).toBeLessThanOrEqual(shown.contextWindow);
		}
		const compacting = before(steps, isCompaction);
		expect(compacting).toHaveLength(1);
		for (const { estimatedInputTokens, limit } of compacting) {
			expect(estimatedInputTokens / (limit?.tokens ?? 0)).toBeGreaterThan(0.88);
			expect(estimatedInputTokens / (limit?.tokens ?? 0)).toBeLessThan(1.02);
		}
		const sentLast = lastBeforeCompaction(session.mock.exchanges) / (stats?.limit?.tokens ?? 0);
		expect(sentLast).toBeGreaterThan(0.88);
		expect(sentLast).toBeLessThan(1.02);
	});
});

/** Tokens of the newest request of the session itself, and of its answer. */
function truth(of: AgentSession | undefined): number {
	const newest = of?.mock.exchanges.findLast(({ request }) => request.kind === 'main');
	return newest === undefined ? 0 : newest.answer.usage.input + newest.answer.usage.output;
}

/** The last prompt that was answered before the first compaction, its answer, and the document that followed. Tokens. */
function lastBeforeCompaction(exchanges: readonly Exchange[]): number {
	const compaction = exchanges.findIndex(({ request }) => request.kind === 'compaction');
	const before = exchanges.slice(0, compaction).filter(({ request }) => request.kind === 'main');
	const [previous, last] = before.slice(-2);
	if (previous === undefined || last === undefined) return 0;
	const grown = last.request.tokens - previous.request.tokens - previous.answer.usage.output;
	const followed = last.answer.calls.length > 0 ? grown : 0;
	return last.answer.usage.input + last.answer.usage.output + followed;
}

/** Whether a record is of a compaction: Gemini CLI writes none, but all that is left of the session. */
function isCompaction(step: WalkStep, previous: WalkStep): boolean {
	return isOwnCompaction(step) || step.stats.estimatedInputTokens < previous.stats.estimatedInputTokens / 2;
}

function start(of: AgentSession, args: readonly string[]) {
	return spawn(process.execPath, [resolve('dist/contextd.cjs'), ...args], {
		cwd: of.project,
		env: { PATH: process.env.PATH, HOME: of.home, NO_COLOR: '1' },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
}

/** What a command prints in the project. */
async function contextd(of: AgentSession, args: readonly string[]): Promise<string> {
	const child = start(of, args);
	let printed = '';
	for await (const piece of child.stdout.setEncoding('utf8')) printed += piece;
	return printed;
}

/** `contextd watch` in the project. */
function watching(of: AgentSession) {
	const child = start(of, ['watch']);
	const closed = new Promise((done) => child.on('close', done));
	let printed = '';
	child.stdout.setEncoding('utf8').on('data', (text) => {
		printed += text;
	});
	return {
		/** Whether it comes to show that many tokens. */
		async shows(tokens: number): Promise<boolean> {
			const figure = tokens.toLocaleString('en-US');
			for (let tries = 0; tries < 80 && !printed.includes(figure); tries++) await setTimeout(100);
			return printed.includes(figure);
		},
		async end(): Promise<void> {
			child.kill('SIGTERM');
			await closed;
		},
	};
}
