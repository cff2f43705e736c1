import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExactCounter, Vocabulary } from '../../server/core/measure/text/exactCounter.ts';
import { loadCounter } from '../../server/node/measures.ts';

/** Returns the exact counter of a vocabulary, from rank files that are written once and cached next to the packages. */
export async function counterFor(vocabulary: Vocabulary): Promise<ExactCounter> {
	return loadCounter(await ranksFolder(), vocabulary);
}

/**
 * Returns the folder of the cached rank files. The first call in a checkout writes them, which takes some seconds. The path is
 * relative to the working directory, which must be the root of the project, because this file is also bundled for benchmarks.
 */
export async function ranksFolder(): Promise<string> {
	const script = pathToFileURL(path.resolve('scripts/ranks.mjs')).href;
	const { writeRanks } = await import(script);
	const folder = path.resolve('node_modules/.cache/contextd');
	await writeRanks(folder);
	return folder;
}
