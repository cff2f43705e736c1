import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStats } from '../../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { prose } from '../../support/messages.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { recordsOf, type TestWorld, testWorld } from '../../support/world.ts';

/** Returns an agent's session in which the model changes many times, larger than one stored part. */
function transcript(turns: number): string {
	const common = { sessionId: 'x', cwd: '/home/me/project' };
	return Array.from({ length: turns }, (_, turn) => {
		const model = Math.floor(turn / 25) % 2 === 0 ? 'claude-opus-4-8' : 'claude-sonnet-4-5';
		const usage = { input_tokens: 100 + turn, output_tokens: 20 };
		const block = { type: 'text', text: 'I look.' };
		const message = { id: `m${turn}`, role: 'assistant', model, content: [block], usage };
		return [
			{ ...common, type: 'user', uuid: `u${turn}`, message: { role: 'user', content: prose(8000, turn) } },
			{ ...common, type: 'assistant', uuid: `a${turn}`, message },
		];
	})
		.flat()
		.map((record) => `${JSON.stringify(record)}\n`)
		.join('');
}

describe('importing a transcript whose model changes', () => {
	let world: TestWorld;
	let path: string;
	beforeEach(() => {
		world = testWorld();
		path = join(freshFolder(), 'session.jsonl');
	});
	afterEach(removeFolders);

	it('an import counts all messages once, for the model at the end of the file', async () => {
		await writeFile(path, transcript(225));
		const { sessionId } = await importerOver(world).importTranscript({ path });
		const records = await recordsOf(world, sessionId);
		expect(records.some((record) => record.t === 'recount')).toBe(false);
		const session = await sessionOf(world, sessionId);
		const measure = world.world.measures.getMeasure('anthropic', 'claude-opus-4-8', 'heuristic');
		expect(session.state.measure).toBe(measure.key);
		const stats = await readStats(session, session.client);
		expect(stats).toMatchObject({ model: 'claude-opus-4-8', source: 'reported', estimatedInputTokens: 344 });
	});

	it('an import counts all messages again if another model answers later', async () => {
		await writeFile(path, transcript(225));
		const importer = importerOver(world);
		const { sessionId } = await importer.importTranscript({ path });
		const message = { id: 'later', role: 'assistant', model: 'claude-sonnet-4-5', content: 'Done.' };
		await appendFile(
			path,
			`${JSON.stringify({ type: 'assistant', uuid: 'later', sessionId: 'x', message })}\n`,
		);
		await importer.importTranscript({ path });
		const { state } = await sessionOf(world, sessionId);
		expect(state.info.model).toBe('claude-sonnet-4-5');
		expect(state.measure).toBe(
			world.world.measures.getMeasure('anthropic', 'claude-sonnet-4-5', 'heuristic').key,
		);
	});
});
