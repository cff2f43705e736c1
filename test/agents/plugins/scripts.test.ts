/** Scripts of 40 turns, each with more than 150,000 tokens in total, in a window of 32,000: five in a soak test. */

import { expect, it, vi } from 'vitest';
import { isSoak } from '../../support/soak.ts';
import { openCode } from '../agents.ts';
import { type Inside, insideAgents, timeout } from './inside.ts';
import { isContinuedBy, newestRequest, withoutLast } from './requests.ts';
import { mainRequests, type PluginSession } from './session.ts';

const turns = 40;
/** Tokens of a request after which the window still has space for several documents. */
const roomyTokens = 14_000;
/** Characters of a document that contextd shortens when it is read. */
const large = 15_000;
/** Characters of a document that stays whole. */
const small = 4000;

type Documents = readonly (number | readonly number[])[];

/** The documents read in a turn, by its number; a list is read at once. */
const scripts: Readonly<Record<string, (turn: number) => Documents>> = {
	'a document a turn': () => [large],
	'two documents a turn, one after the other': () => [large / 2, large / 2],
	'five short ones, two and three at once': () => [
		[large / 5, large / 5],
		[large / 5, large / 5, large / 5],
	],
	'a very long one at times': (turn) => [turn % 4 === 0 ? 48_000 : small],
	'a long one and a short one by turns': (turn) => [turn % 2 === 0 ? 26_000 : small],
};

/** Counts the compactions in the daemon's journal. */
async function countJournalled({ journal, running }: PluginSession): Promise<number> {
	const lines = await journal(await running().contextdId());
	return lines.filter(({ record }) => record?.step?.cause === 'compact').length;
}

/**
 * A host may ask for a compaction when a turn has ended; only a further request shows it. Takes turns without documents until
 * none of them has journalled a compaction, and returns their number.
 */
async function showLastCompaction(session: PluginSession): Promise<number> {
	for (let closingTurns = 1; ; closingTurns++) {
		const before = await countJournalled(session);
		await session.turn([]);
		if ((await countJournalled(session)) === before) return closingTurns;
	}
}

/** The scripts that OpenCode, which takes six times as long as pi, also runs outside a soak test. */
const quickScripts = ['a document a turn', 'a very long one at times'];

function declareScriptTests({ begin, host }: Inside): void {
	const runsAll = host.agent !== openCode || isSoak;
	const names = runsAll ? Object.keys(scripts) : quickScripts;
	it.each(names)(
		'the plugin stays within the window and keeps the cache valid, whichever process ends: %s',
		{ timeout },
		async (name) => {
			const session = await begin();
			const { mock } = session;
			const script = scripts[name] ?? (() => []);
			let characters = 0;
			let deaths = 0;
			for (let turn = 0; turn < turns; turn++) {
				const documents = script(turn);
				characters += documents.flat().reduce((sum, length) => sum + length, 0);
				const isRoomy = turn > 0 && newestRequest(session).request.tokens < roomyTokens;
				if (deaths === 0 && turn >= 12 && isRoomy) {
					await session.killDaemon();
					deaths++;
				}
				if (turn === 20) await session.restart();
				const asked = mock.exchanges.length;
				const turned = session.turn(documents);
				if (deaths === 1 && turn >= 26 && isRoomy) {
					await vi.waitFor(() => expect(mock.exchanges.length).toBeGreaterThan(asked), { timeout: 60_000 });
					await session.killDaemon();
					deaths++;
				}
				await turned;
			}
			const closingTurns = await showLastCompaction(session);
			expect(deaths).toBe(2);
			expect(characters / 4).toBeGreaterThanOrEqual(150_000);

			expect(mock.refused).toEqual([]);
			expect(mock.exchanges.filter(({ request }) => request.kind === 'compaction')).toEqual([]);
			const main = mainRequests(mock);
			expect(main).toHaveLength(turns * (script(0).length + 1) + closingTurns);
			let changes = 0;
			for (const [index, now] of main.entries()) {
				const before = main[index - 1];
				if (before === undefined) continue;
				if (!isContinuedBy(before, now)) changes++;
				else expect(now.answer.usage.cached).toBeGreaterThanOrEqual(withoutLast(before));
			}
			expect(changes).toBe(await countJournalled(session));
			expect(changes).toBeGreaterThan(2);
			expect(changes).toBeLessThanOrEqual(main.length / 8);
		},
	);
}

await insideAgents(declareScriptTests);
