import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Counting } from '../../../server/protocol/transcript.ts';
import { readStats } from '../../../server/session/stats.ts';
import { updateSession } from '../../../server/session/store/sessions.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { testWorld } from '../../support/world.ts';

afterEach(removeFolders);

const code = 'const value = compute("name", { deep: [1, 2, 3] });\n'.repeat(40);

/** Writes a transcript of ten reads, each with an answer except the last, and returns its path. */
function transcript(): string {
	const lines = Array.from({ length: 10 }, (_, no) => {
		const base = { sessionId: 's', cwd: '/w' };
		const usage = { input_tokens: 20_000 + no * 1000, output_tokens: 30 };
		const call = { type: 'tool_use', id: `c${no}`, name: 'Read', input: { file_path: `/w/${no}.ts` } };
		const result = { type: 'tool_result', tool_use_id: `c${no}`, content: `${no} ${code}` };
		const message = { id: `m${no}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [call], usage };
		return [
			{ ...base, type: 'assistant', uuid: `a${no}`, message },
			{ ...base, type: 'user', uuid: `r${no}`, message: { role: 'user', content: [result] } },
		];
	});
	const path = join(freshFolder(), 'transcript.jsonl');
	writeFileSync(
		path,
		lines
			.flat()
			.map((line) => `${JSON.stringify(line)}\n`)
			.join(''),
	);
	return path;
}

async function imported(counting: Counting | undefined) {
	const world = testWorld();
	const path = transcript();
	const { sessionId } = await importerOver(world).importTranscript({ path, counting });
	const session = await sessionOf(world, sessionId);
	return { world, session, sessionId, stats: await readStats(session, session.client) };
}

describe('imports with counting "tail"', () => {
	it('an import with counting "tail" names both estimators, and counts its tail like a full import', async () => {
		const all = await imported(undefined);
		const tail = await imported('tail');
		expect(all.stats).not.toHaveProperty('headEstimator');
		expect(tail.stats).toMatchObject({ estimator: all.stats?.estimator, headEstimator: 'calibrated' });
		const counts = (of: typeof all) => of.session.state.rows.map((row) => row.counts);
		expect(counts(tail).at(-1)).toEqual(counts(all).at(-1));
		expect(counts(tail).slice(0, -2)).not.toEqual(counts(all).slice(0, -2));
	});

	it('an import with counting "tail" has the total of a full import, and nearly its parts', async () => {
		const all = (await imported('all')).stats;
		const tail = (await imported('tail')).stats;
		const near = (one = 0, other = 0) => expect(one / other).toBeCloseTo(1, 1);
		expect(tail?.source).toBe(all?.source);
		expect(Math.abs((tail?.estimatedInputTokens ?? 0) - (all?.estimatedInputTokens ?? 0))).toBeLessThan(120);
		near(tail?.history.toolResults, all?.history.toolResults);
	});

	it('an import with counting "tail" counts everything with the estimator once its model changes', async () => {
		const { world, session, sessionId } = await imported('tail');
		await updateSession(world.store, world.client, { sessionId, provider: 'openai', model: 'gpt-5' });
		expect(await readStats(session, session.client)).not.toHaveProperty('headEstimator');
	});
});
