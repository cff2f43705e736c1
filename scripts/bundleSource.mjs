/** Bundles TypeScript of this checkout to a file that Node runs. */

import { build } from 'esbuild';

/**
 * Bundles one source file; packages are loaded from the bundle's location.
 * @param more options of esbuild that override these
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
