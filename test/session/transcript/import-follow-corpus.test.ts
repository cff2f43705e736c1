import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { needsCorpus } from '../../support/needs.ts';
import { soakFactor } from '../../support/soak.ts';
import { readTranscript, visibleMessages } from '../../support/transcriptFold.ts';
import { comparable, importedHistory, importerOver } from '../../support/transcripts.ts';
import { testWorld } from '../../support/world.ts';

const originals = join(resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus'), 'originals');
const isThere = existsSync(originals);
const files = ['', 'shapes'].flatMap((folder) =>
	(isThere ? readdirSync(join(originals, folder)) : [])
		.filter((name) => name.endsWith('.jsonl'))
		.map((name) => join(folder, name)),
);
/** Number of times that the session is compared with an import of the whole file. */
const comparisonCount = 8;
/** Number of lines that are imported one by one; later ones come several at once. */
const singleLines = 60 * soakFactor;

afterAll(removeFolders);

describe.skipIf(!isThere)('following a real transcript line by line', needsCorpus, () => {
	it.each(files)(
		'following %s line by line gives at each step what importing it as a whole would give',
		async (file) => {
			const lines = readFileSync(join(originals, file), 'utf8').split('\n').filter(Boolean);
			const path = join(freshFolder(), basename(file));
			const { store } = testWorld();
			const importer = importerOver(store);
			const start =
				lines.findIndex((_, index) => readTranscript(lines.slice(0, index + 1).join('\n')) !== undefined) + 1;
			await writeFile(path, `${lines.slice(0, start).join('\n')}\n`);
			const { sessionId } = await importer.importTranscript({ path, follow: true });
			const step = Math.max(1, Math.floor(lines.length / comparisonCount));
			for (let index = start; index < lines.length; index++) {
				await appendFile(path, `${lines[index]}\n`);
				const isLook = index % step === 0 || index === lines.length - 1;
				if (!isLook && index > singleLines) continue;
				await importer.importTranscript({ path, follow: true });
				if (!isLook) continue;
				const whole = readTranscript(`${lines.slice(0, index + 1).join('\n')}\n`);
				const wanted = whole === undefined ? [] : visibleMessages(whole.transcript);
				const compared = comparable(await importedHistory(store, sessionId), wanted);
				expect(compared.got).toEqual(compared.wanted);
			}
			await importer.stopAll();
		},
	);
});
