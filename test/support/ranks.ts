import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExactCounter, Vocabulary } from '../../server/core/measure/text/exactCounter.ts';
import { loadCounter } from '../../server/node/measures.ts';

/** Returns the exact counter of a vocabulary, from rank files that are made once and kept next to the packages. */
export async function counterFor(vocabulary: Vocabulary): Promise<ExactCounter> {
	return loadCounter(await ranksFolder(), vocabulary);
}

/**
 * Returns the folder of those rank files; the first call in a checkout takes some seconds to make them. Paths are
 * relative to the working directory, the root of the project, since this file is also bundled for benches.
 */
export async function ranksFolder(): Promise<string> {
	const script = pathToFileURL(path.resolve('scripts/ranks.mjs')).href;
	const { writeRanks } = await import(script);
	const folder = path.resolve('node_modules/.cache/contextd');
	await writeRanks(folder);
	return folder;
}
