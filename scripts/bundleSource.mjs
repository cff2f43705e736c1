/** Bundles TypeScript of this checkout to a file that Node runs, or imports it. */

import { fileURLToPath } from 'node:url';
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

/** Bundles `export … from` statements, whose paths are relative to the checkout, in memory. Returns the runtime exports. */
export async function importSource(contents) {
	const { outputFiles } = await build({
		stdin: { contents, resolveDir: fileURLToPath(new URL('..', import.meta.url)), loader: 'ts' },
		bundle: true,
		platform: 'node',
		format: 'esm',
		write: false,
		logLevel: 'warning',
	});
	return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
