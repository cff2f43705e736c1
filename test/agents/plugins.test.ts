/** contextd inside real agents, at work against a provider on loopback that has a window and a cache. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { needs } from '../support/needs.ts';
import { type Installed, installNewest } from './install.ts';
import type { Exchange } from './mock/server.ts';
import { hosts, mainRequests, type PluginSession, pieces, startPluginSession } from './plugins/session.ts';

const isWanted = Boolean(process.env.CONTEXTD_REAL_AGENTS);
const needsAgents = needs('real agents from the npm registry: set CONTEXTD_REAL_AGENTS=1');
const window = 32_000;
const timeout = 240_000;
/** Milliseconds after which no more of these tests are begun. */
const lastStart = performance.now() + 8 * 60_000;
/** Characters of a document that is cut on its way in, and of one that is not. */
const large = 15_000;
const small = 4000;

/** What is read in a turn, by its number: some 600,000 characters in 40 turns, which come to 150k tokens. */
const scripts: readonly [string, (turn: number) => number[]][] = [
	['a document a turn', () => [large]],
	['two documents a turn', () => [large / 2, large / 2]],
	['five short ones a turn', () => Array.from({ length: 5 }, () => large / 5)],
	['a very long one at times', (turn) => [turn % 4 === 0 ? 48_000 : small]],
];
/** Of OpenCode's, which takes a second a request, one is run where time is short. */
const scriptsOf = (name: string) =>
	name === 'pi' || process.env.CONTEXTD_ALL_SCRIPTS ? scripts : scripts.slice(0, 1);

let session: PluginSession | undefined;

afterEach(async () => {
	await session?.end();
	session = undefined;
});

/** Whether a request goes on where the one before it ended. */
function goesOn(before: Exchange, now: Exchange): boolean {
	const all = pieces(now);
	return pieces(before).every((piece, index) => piece === all[index]);
}

/** Tokens of a request less its last message, as the mock counts what it has in its cache. */
function withoutLast(exchange: Exchange): number {
	const units = pieces(exchange).slice(0, -1);
	return Math.floor(units.reduce((sum, piece) => sum + piece.length, 0) / 4);
}

/** The newest request of the session itself. */
function newest({ mock }: PluginSession): Exchange {
	const found = mainRequests(mock).at(-1);
	if (found === undefined) throw new Error('nothing was asked yet');
	return found;
}

/** The process of the daemon that holds the session. */
function daemonOf({ home }: PluginSession): number {
	const folder = join(home, '.local/state/contextd/sessions');
	const lock = readdirSync(folder).find((name) => name.endsWith('.lock')) ?? '';
	const [holder = ''] = readdirSync(join(folder, lock));
	return Number(holder.split('.')[0]);
}

describe.skipIf(!isWanted).each(hosts)('contextd in $agent.name', isWanted ? {} : needsAgents, (host) => {
	let installed: Installed | undefined;
	let missing = '';

	beforeAll(async () => {
		try {
			installed = await installNewest(host.agent);
		} catch (error) {
			missing = error instanceof Error ? error.message : String(error);
			console.warn(`${host.agent.name} is not tried: ${missing}`);
		}
	}, 320_000);

	/** The agent at work with contextd in it, or the end of the test where it could not be installed. */
	async function start(context: TestContext): Promise<PluginSession> {
		if (installed === undefined || performance.now() > lastStart) context.skip(missing || 'no time is left');
		return startPluginSession(host, installed as Installed, window);
	}

	it.for(scriptsOf(host.agent.name))(
		'keeps 40 turns and 150k tokens within a window of 32k, and the cache: %s',
		{
			timeout,
		},
		async ([, documents], context) => {
			session = await start(context);
			for (let turn = 0; turn < 40; turn++) await session.turn(documents(turn));
			const turns = Array.from({ length: 40 }, (_, turn) => documents(turn).length + 1);
			const { mock } = session;
			expect(mock.refused).toEqual([]);
			expect(mock.exchanges.filter(({ request }) => request.kind === 'compaction')).toEqual([]);
			const main = mainRequests(mock);
			expect(main).toHaveLength(turns.reduce((sum, requests) => sum + requests, 0));
			let decisions = 0;
			for (const [index, now] of main.entries()) {
				const before = main[index - 1];
				if (before === undefined) continue;
				if (!goesOn(before, now)) decisions++;
				else expect(now.answer.usage.cached).toBeGreaterThanOrEqual(withoutLast(before));
			}
			expect(decisions).toBeGreaterThan(2);
			expect(decisions).toBeLessThanOrEqual(main.length / 8);
		},
	);

	it('compacts and takes back at a word, and goes on without its daemon and in a new process', {
		timeout,
	}, async (context) => {
		session = await start(context);
		for (let turn = 0; turn < 4; turn++) await session.turn([small]);
		const whole = newest(session);
		expect(await session.running().command('contextd-compact', '')).toContain('From the next request on');
		await session.turn([]);
		expect(newest(session).request.tokens).toBeLessThan(whole.request.tokens);

		expect(await session.running().command('contextd-undo', '')).toContain('what it got before');
		await session.turn([]);
		expect(goesOn(whole, newest(session))).toBe(true);
		expect(await session.running().command('contextd', '')).toMatch(/tokens \(\d+%\)/);

		const before = newest(session);
		process.kill(daemonOf(session), 'SIGKILL');
		await session.turn([small]);
		expect(goesOn(before, newest(session))).toBe(true);
		const last = newest(session);
		await session.restart();
		await session.turn([small]);
		expect(goesOn(last, newest(session))).toBe(true);
	});

	it('makes room after a refusal, and answers the summary that the agent asks for itself', {
		timeout,
	}, async (context) => {
		session = await start(context);
		for (let turn = 0; turn < 4; turn++) await session.turn([small]);
		const { mock } = session;
		const asked = mock.exchanges.length;
		mock.refuseNext(newest(session).request.tokens - 2000);
		await session.turn([small]);
		expect(mock.refused).toHaveLength(1);
		expect(newest(session).request.tokens).toBeLessThan(mock.refused[0]?.tokens ?? 0);
		await session.turn([small, small]);
		await session.running().compact();
		await session.turn([small]);
		const since = mock.exchanges.slice(asked);
		expect(since.filter(({ request }) => request.kind === 'compaction')).toEqual([]);
		expect(JSON.stringify(newest(session).request.body)).toContain('document');
		expect(mock.refused).toHaveLength(1);
	});

	it('is looked at, and leaves no file behind where it is taken out', { timeout }, async (context) => {
		session = await start(context);
		expect(await session.contextd('doctor', host.agent.name)).toContain('the plugin is');
		await session.turn([small]);
		await session.running().end();
		await session.contextd('uninstall', host.agent.name);
		expect(existsSync(join(session.home, host.file))).toBe(false);
		await expect(session.contextd('doctor', host.agent.name)).rejects.toMatchObject({
			stdout: expect.stringContaining('not installed'),
		});
		await session.restart();
		const { request } = newest(session);
		await session.turn([small]);
		expect(newest(session).request.tools.has('contextd_recall')).toBe(false);
		expect(request.tools.has('contextd_recall')).toBe(true);
	});
});
