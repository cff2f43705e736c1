/** Bundles TypeScript of this checkout to a file that Node runs. */

import { build } from 'esbuild';

/** Imports SQLite by `require`: as an ES module, Node does not see its exports by name. */
const requiredSqlite = {
	name: 'required-sqlite',
	setup(builds) {
		const filter = /^node-sqlite3-wasm$/;
		builds.onResolve({ filter }, ({ path }) => ({ path, namespace: 'required' }));
		builds.onLoad({ filter, namespace: 'required' }, ({ path }) => ({
			contents: `import { createRequire } from 'node:module';
				export const { Database } = createRequire(import.meta.url)('${path}');`,
		}));
	},
};

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
		plugins: [requiredSqlite],
		...more,
	});
}
