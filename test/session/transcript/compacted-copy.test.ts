/** Compacted copies: sessions that `context/export` wrote for Claude Code, before the agent continues them. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { exportHistory } from '../../../server/session/compaction/export.ts';
import { readStats } from '../../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { prose } from '../../support/messages.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { testWorld, unwatched } from '../../support/world.ts';

afterEach(removeFolders);

const overheadTokens = 24_000;

function turn(number: number, prompt: number): object[] {
	const common = { sessionId: 's', cwd: '/w', timestamp: '2026-05-01T10:00:00.000Z' };
	return [
		{ type: 'user', uuid: `u${number}`, ...common, message: { role: 'user', content: prose(200, number) } },
		{
			type: 'assistant',
			uuid: `a${number}`,
			...common,
			message: {
				id: `m${number}`,
				role: 'assistant',
				model: 'claude-sonnet-4-5',
				content: [{ type: 'text', text: prose(400, number + 100) }],
				stop_reason: 'end_turn',
				usage: { input_tokens: prompt, output_tokens: 600 },
			},
		},
	];
}

it('measures a compacted copy with the system prompt of its original', async () => {
	const folder = freshFolder();
	const [original, copy] = [join(folder, 'original.jsonl'), join(folder, 'copy.jsonl')];
	const records = Array.from({ length: 12 }, (_, index) => turn(index, overheadTokens + 300 + index * 900));
	await writeFile(
		original,
		records
			.flat()
			.map((record) => `${JSON.stringify(record)}\n`)
			.join(''),
	);
	const world = testWorld();
	const importer = importerOver(world);
	const session = await sessionOf(world, (await importer.importTranscript({ path: original })).sessionId);
	const before = await readStats(session, session.client);
	const order = { format: 'claude-code', cwd: '/w', targetTokens: 2_000 } as const;
	const { text, compaction } = await exportHistory(session, order, unwatched(session));
	await writeFile(copy, text);
	const { sessionId } = await importer.importTranscript({ path: copy });
	const copied = await sessionOf(world, sessionId);
	const after = await readStats(copied, copied.client);
	const expected = (before?.estimatedInputTokens ?? 0) - (compaction?.tokensSaved ?? 0);
	expect(compaction?.tokensSaved).toBeGreaterThan(1_000);
	expect(after?.breakdown.other).toBe(before?.breakdown.other);
	expect(Math.abs((after?.estimatedInputTokens ?? 0) - expected)).toBeLessThan(expected * 0.05);
	expect(copied.state.info.title).toMatch(/^\[compacted\] /);
	const again = await importer.importTranscript({ path: copy });
	expect(again.sessionId).toBe(sessionId);
});
