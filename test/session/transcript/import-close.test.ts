import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { importerOver } from '../../support/transcripts.ts';
import { testClient, testWorld } from '../../support/world.ts';

afterEach(removeFolders);

/** Returns this number of messages of ten kilobytes each. */
function messages(count: number): string {
	const line = `${JSON.stringify({ role: 'user', content: 'x'.repeat(10_000) })}\n`;
	return line.repeat(count);
}

it('an import of a followed transcript rejects if its session is closed meanwhile', async () => {
	const path = join(freshFolder(), 'session.jsonl');
	await writeFile(path, messages(10));
	const { store } = testWorld();
	const importer = importerOver(store);
	for (let attempt = 0; attempt < 20; attempt++) {
		const { sessionId } = await importer.importTranscript({ path, follow: true });
		await appendFile(path, messages(300));
		const again = importer.importTranscript({ path }).then(
			() => undefined,
			(error: unknown) => error,
		);
		for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
		await store.close(sessionId, testClient);
		const error = await again;
		if (error === undefined) continue;
		expect(error).toMatchObject({ kind: 'SessionNotFound' });
		await importer.stopAll();
		return;
	}
	throw new Error('no import was ended by the closing of its session');
});
