/** Streams of the Claude Agent SDK do not contain the prompt that they answer. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readStats } from '../../../server/session/stats.ts';
import { undoStep } from '../../../server/session/steps.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { prose } from '../../support/messages.ts';
import { needsCorpus } from '../../support/needs.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { isOwnCompaction, walkTranscript } from '../../support/walk.ts';
import { testWorld } from '../../support/world.ts';

const init = {
	type: 'system',
	subtype: 'init',
	session_id: 's',
	cwd: '/w',
	model: 'claude-sonnet-4-5',
	tools: Array.from({ length: 16 }, (_, index) => `Tool${index}`),
};
const answer = (id: string, input: number, cached = 0) => ({
	type: 'assistant',
	session_id: 's',
	uuid: id,
	parent_tool_use_id: null,
	message: {
		id,
		role: 'assistant',
		model: 'claude-sonnet-4-5',
		content: [{ type: 'text', text: 'Done.' }],
		usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: 2 },
	},
});
const user = (uuid: string, content: string) => ({
	type: 'user',
	session_id: 's',
	uuid,
	parent_tool_use_id: null,
	message: { role: 'user', content },
});
const boundary = {
	type: 'system',
	subtype: 'compact_boundary',
	session_id: 's',
	compact_metadata: { trigger: 'auto', pre_tokens: 90_000 },
};
const summary = user('summary', prose(400, 1));
const usual = 5000 + 16 * 800;

afterEach(removeFolders);

async function imported(records: readonly object[]) {
	const path = join(freshFolder(), 'stream.jsonl');
	await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
	const world = testWorld();
	const { sessionId } = await importerOver(world).importTranscript({ path });
	return { world, session: await sessionOf(world, sessionId) };
}

describe('streams without their prompt', () => {
	it('a stream without its prompt is estimated without it once its agent has compacted', async () => {
		const { session, world } = await imported([init, answer('a', 80_000, 12_000), boundary, summary]);
		const stats = await readStats(session, session.client);
		expect(stats).toMatchObject({ source: 'estimated', breakdown: { other: usual } });
		const again = await sessionOf(await world.restart(), session.id);
		expect(await readStats(again, again.client)).toMatchObject({
			estimatedInputTokens: stats?.estimatedInputTokens,
		});
	});

	it("undoing the compaction of a stream without its prompt restores the prompt's tokens", async () => {
		const { session } = await imported([init, answer('a', 80_000), boundary, summary]);
		await undoStep(session, session.client);
		expect((await readStats(session, session.client))?.breakdown.other).toBe(80_000);
	});

	it('a stream without its prompt keeps what its first request read from a cache, which holds only what every request has', async () => {
		const { session } = await imported([init, answer('a', 80_000, 30_000), boundary, summary]);
		expect((await readStats(session, session.client))?.breakdown.other).toBe(30_000);
	});

	it("a stream without its prompt keeps the provider's count if tools and system prompt explain it", async () => {
		const { session } = await imported([init, answer('a', 15_000), boundary, summary]);
		expect((await readStats(session, session.client))?.breakdown.other).toBe(15_000);
	});
});

describe('streams with their prompt', () => {
	it('a stream with its prompt keeps all that the provider counted besides the messages', async () => {
		const prompt = user('prompt', 'Please look at it.');
		const { session } = await imported([init, prompt, answer('a', 80_000), boundary, summary]);
		expect((await readStats(session, session.client))?.breakdown.other).toBeGreaterThan(79_000);
	});
});

const recorded = resolve(
	process.env.CONTEXTD_CORPUS ?? '../shared/corpus',
	'originals/tielec-i113-04-exec-64f588.claude-sdk-stream.jsonl',
);

describe.skipIf(!existsSync(recorded))('a recorded stream', needsCorpus, () => {
	it('the estimate right after the compaction of a recorded stream is close to its next prompt', async () => {
		const steps = await walkTranscript(recorded);
		const compacted = steps.findIndex(isOwnCompaction);
		const next = steps.slice(compacted).find(({ answered }) => answered !== undefined);
		const shown = steps[compacted]?.stats.estimatedInputTokens ?? 0;
		expect(shown / (next?.answered ?? 1)).toBeGreaterThan(0.9);
		expect(shown / (next?.answered ?? 1)).toBeLessThan(1.1);
	});
});
