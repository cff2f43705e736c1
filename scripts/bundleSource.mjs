/** Bundles TypeScript of this checkout to a file that Node runs. */

import { build } from 'esbuild';

/**
 * Bundles one source file; packages are loaded from where the bundle lies.
 * @param more options of esbuild that are added, or replace these
 */
export async function bundleSource(entry, outfile, more = {}) {
	await build({
		entryPoints: [entry],
		outfile,
		bundle: true,
		platform: 'node',
		target: 'node20.19',
		format: 'esm',
		packages: 'external',
		logLevel: 'warning',
		...more,
	});
}
