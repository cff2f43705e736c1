import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { processorClock } from '../../support/processorClock.ts';
import { importedHistory, importerOver } from '../../support/transcripts.ts';
import { testWorld } from '../../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'contextd-branches-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a Claude Code transcript in which one prompt was edited repeatedly: every version has the same parent. */
function transcriptWithBranches(count: number): string {
	const line = (uuid: string, parentUuid: string | null, content: string): string =>
		JSON.stringify({
			parentUuid,
			isSidechain: false,
			cwd: '/w',
			sessionId: '11111111-1111-4111-8111-111111111111',
			version: '2.1.0',
			type: 'user',
			message: { role: 'user', content },
			uuid,
			timestamp: '2026-11-01T10:00:00.000Z',
		});
	const root = randomUUID();
	const versions = Array.from({ length: count }, (_, index) => line(randomUUID(), root, `version ${index}`));
	const path = join(folder, `${count}.jsonl`);
	writeFileSync(path, [line(root, null, 'Start.'), ...versions, ''].join('\n'));
	return path;
}

/** Returns the processor time of importing a transcript, in milliseconds. */
async function importTime(count: number): Promise<number> {
	const { store } = testWorld();
	const path = transcriptWithBranches(count);
	const spent = processorClock();
	const { sessionId } = await importerOver(store).importTranscript({ path });
	const time = spent();
	const history = await importedHistory(store, sessionId);
	expect(history.map(({ content }) => content)).toEqual(['Start.', `version ${count - 1}`]);
	return time;
}

it('thousands of branches of one message are imported in linear time', async () => {
	await importTime(100);
	const few = Math.min(await importTime(1200), await importTime(1200), await importTime(1200));
	const many = Math.min(await importTime(4800), await importTime(4800));
	// Four times as many branches: the ratio is about 4 in linear time, and 16 in quadratic time.
	expect(many / few).toBeLessThan(8);
});
