/** Bundles TypeScript of this checkout to a file that Node runs. */

import { build } from 'esbuild';

/** Imports SQLite with `require`, because Node does not find its named exports in an ES module import. */
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
 * Bundles one source file. The bundle loads packages from its own location.
 * @param more options of esbuild that override the defaults
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
