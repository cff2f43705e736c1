import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { joinPlainText } from '../../../server/core/format/wire/content.ts';
import { readStats } from '../../../server/session/stats.ts';
import { describeTimeline } from '../../../server/session/timeline.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { importedHistory, importerOver, sessionOf } from '../../support/transcripts.ts';
import { testWorld } from '../../support/world.ts';

afterEach(removeFolders);

it("a compression of Gemini CLI is reported as the agent's own compaction, and ends the figures before it", async () => {
	const timestamp = '2026-11-01T10:00:00.000Z';
	const said = (id: string, words: string, input?: number) => ({
		id,
		timestamp,
		type: input === undefined ? 'user' : 'gemini',
		content: [{ text: words }],
		...(input !== undefined && { tokens: { input, output: 10, cached: 0 } }),
	});
	const last = said('g2', 'All seen.', 90_000);
	const snapshot = said('s1', '<state_snapshot>Look.</state_snapshot>');
	const records = [
		{ sessionId: 's', projectHash: 'h', startTime: timestamp, lastUpdated: timestamp },
		said('u1', 'Look'),
		said('g1', 'a long story '.repeat(400), 40_000),
		last,
		{ $set: { messages: [snapshot, last] } },
		said('u2', 'Go on'),
	];
	const path = join(freshFolder(), 'chat.jsonl');
	await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
	const { store } = testWorld();
	const { sessionId } = await importerOver(store).importTranscript({ path });
	const visible = await importedHistory(store, sessionId);
	expect(visible.map((message) => `${message.role} ${joinPlainText(message.content)}`)).toEqual([
		'user <state_snapshot>Look.</state_snapshot>',
		'assistant All seen.',
		'user Go on',
	]);
	const session = await sessionOf(store, sessionId);
	const figures = await readStats(session, session.client);
	expect(figures?.source).toBe('estimated');
	expect(figures?.estimatedInputTokens).toBeLessThan(90_000);
	expect(figures?.lastCompaction).toMatchObject({ byAgent: true, undone: false });
	const { compactions } = await describeTimeline(session, session.client);
	expect(compactions).toHaveLength(1);
});
