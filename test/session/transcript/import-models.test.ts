import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statsOf } from '../../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { prose } from '../../support/messages.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { recordsOf, type TestWorld, testWorld } from '../../support/world.ts';

/** An agent's session in which the model changes many times; more than is stored at once. */
function transcript(turns: number): string {
	const common = { sessionId: 'x', cwd: '/home/me/project' };
	return Array.from({ length: turns }, (_, turn) => {
		const model = Math.floor(turn / 25) % 2 === 0 ? 'claude-sonnet-4-5' : 'claude-opus-4-8';
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

	it('counts the history anew at most once, and is anchored on the last answer', async () => {
		await writeFile(path, transcript(200));
		const { sessionId } = await importerOver(world.store).importTranscript({ path });
		const records = await recordsOf(world, sessionId);
		expect(records.filter((record) => record.t === 'recount' && record.rows.length > 0).length).toBeLessThan(
			2,
		);
		const session = await sessionOf(world.store, sessionId);
		const measure = world.world.measures.for('anthropic', 'claude-opus-4-8', 'heuristic');
		expect(session.state.measure).toBe(measure.key);
		const stats = await statsOf(session);
		expect(stats).toMatchObject({ model: 'claude-opus-4-8', source: 'reported', estimatedInputTokens: 319 });
	});
});
