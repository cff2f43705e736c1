import { fileURLToPath } from 'node:url';
import type { Counter, Vocabulary } from '../../server/core/measure/text/exactCounter.ts';
import { loadCounter } from '../../server/node/ranks.ts';

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/contextd', import.meta.url));

/** The exact counter of a vocabulary, from rank files that are made once and kept beside the packages. */
export async function counterFor(vocabulary: Vocabulary): Promise<Counter> {
	return loadCounter(await ranksFolder(), vocabulary);
}

/** The folder of those rank files; the first call on a checkout takes half a minute to make them. */
export async function ranksFolder(): Promise<string> {
	const { writeRanks } = await import('../../scripts/ranks.mjs');
	await writeRanks(cacheFolder);
	return cacheFolder;
}
