import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportStart } from '../../../server/protocol/transcript.ts';
import { readStats } from '../../../server/session/stats.ts';
import { needsCorpus } from '../../support/needs.ts';
import { readTranscript, visibleMessages } from '../../support/transcriptFold.ts';
import { comparable, essence, importedHistory, importerOver, sessionOf } from '../../support/transcripts.ts';
import { testClient, testWorld } from '../../support/world.ts';

const originals = join(resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus'), 'originals');
const isThere = existsSync(originals);
const opencode = 'shapes/agent-sessions.opencode/storage_v2/session/proj_test/ses_s_stage0_large.json';

/** Returns the transcripts of a folder, by their paths below `originals`. */
function transcriptsIn(folder: string): string[] {
	const names = isThere ? readdirSync(join(originals, folder)) : [];
	return names.filter((name) => /\.jsonl?$/.test(name)).map((name) => join(folder, name));
}

const files = [...transcriptsIn(''), ...transcriptsIn('shapes')];

describe.skipIf(!isThere)('importing real transcripts', needsCorpus, () => {
	it.each(files)('importing %s gives the history that its agent last saw', async (file) => {
		const path = join(originals, file);
		const read = readTranscript(readFileSync(path, 'utf8'));
		const world = testWorld();
		const { sessionId, source } = await importerOver(world).importTranscript({ path });
		expect(source).toBe(read?.agent);
		const wanted = read === undefined ? [] : visibleMessages(read.transcript);
		const compared = comparable(await importedHistory(world, sessionId), wanted);
		expect(compared.got).toEqual(compared.wanted);
	});

	it.each(files)('importing %s twice changes nothing', async (file) => {
		const path = join(originals, file);
		const world = testWorld();
		const first = await importerOver(world).importTranscript({ path });
		const version = (await sessionOf(world, first.sessionId)).state.version;
		const again = await importerOver(await world.restart()).importTranscript({ path });
		expect(again).toEqual(first);
		expect((await sessionOf(world, first.sessionId)).state.version).toBe(version);
	});

	it.each(files)(
		'importing %s from the window shows the same history as importing all of it',
		async (file) => {
			const path = join(originals, file);
			const shown = async (from: ImportStart) => {
				const { store } = testWorld();
				const { sessionId } = await importerOver(store).importTranscript({ path, from });
				const stats = await readStats(await sessionOf(store, sessionId), testClient);
				return { history: (await importedHistory(store, sessionId)).map(essence), stats };
			};
			const [whole, begun] = [await shown('start'), await shown('window')];
			// A message that a compaction moved behind its summary no longer has usage figures.
			const said = ({ history }: typeof whole) =>
				history.map((message) => ({ ...message, usage: undefined }));
			expect(said(begun)).toEqual(said(whole));
			expect(begun.stats?.limit).toEqual(whole.stats?.limit);
			const [tokens = 0, wanted = 0] = [begun, whole].map(({ stats }) => stats?.estimatedInputTokens);
			expect(Math.abs(tokens - wanted)).toBeLessThanOrEqual(Math.max(wanted / 100, 100));
		},
	);

	it('a session from a storage folder of OpenCode is imported', async () => {
		const { store } = testWorld();
		const path = join(originals, opencode);
		const { source, messageCount } = await importerOver(store).importTranscript({ path });
		expect(source).toBe('opencode');
		expect(messageCount).toBeGreaterThan(3);
	});
});
