/** What the package holds, bundled: its command, its program, what it asks models with, its status lines, and the modules that it exports. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { version, engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const leastNode = engines.node.replace('>=', '');
/** Tables as text that is parsed as JSON: many times as fast to load as the same table as JavaScript. */
const jsonAsText = {
	name: 'json-as-text',
	setup(builds) {
		builds.onLoad({ filter: /\.json$/ }, async (file) => {
			const text = JSON.stringify(JSON.parse(await readFile(file.path, 'utf8')));
			return { contents: `export default JSON.parse(${JSON.stringify(text)})`, loader: 'js' };
		});
	},
};

const common = {
	absWorkingDir: root,
	bundle: true,
	platform: 'node',
	format: 'cjs',
	minifySyntax: true,
	minifyWhitespace: true,
	// All licences stand in THIRD-PARTY-NOTICES.txt.
	legalComments: 'none',
	logLevel: 'warning',
	metafile: true,
	plugins: [jsonAsText],
};

/** One file that an agent loads: it knows by itself of no folder that it was bundled to. */
const plugin = { ...common, target: `node${leastNode}`, define: { __dirname: '""' } };

/** Bundles into `dist/`, or nowhere where `write` is false. Gives esbuild's metafile of each bundle. */
export async function bundlePackage({ write }) {
	const bundles = await Promise.all([
		build({
			...common,
			write,
			entryPoints: ['server/contextd.ts'],
			outfile: 'dist/contextd.cjs',
			external: ['./main.cjs', './status.cjs', './statusline.cjs'],
			// Any Node that somebody may still have must be able to say that it is too old.
			target: 'node12',
			banner: { js: '#!/usr/bin/env node' },
			define: { contextdLeastNode: JSON.stringify(leastNode) },
		}),
		build({
			...common,
			write,
			entryPoints: ['server/main.ts'],
			outfile: 'dist/main.cjs',
			external: ['./models.cjs'],
			target: `node${leastNode}`,
			define: { contextdVersion: JSON.stringify(version) },
		}),
		build({
			...common,
			write,
			minifyIdentifiers: true,
			entryPoints: ['server/node/models/askProvider.ts'],
			outfile: 'dist/models.cjs',
			alias: { 'node-fetch': './server/node/models/platformFetch.ts' },
			target: `node${leastNode}`,
		}),
		build({
			...common,
			write,
			entryPoints: ['server/client/index.ts', 'server/protocol/index.ts'],
			outbase: 'server',
			outdir: 'dist/cjs',
			target: `node${leastNode}`,
		}),
		build({
			...common,
			write,
			entryPoints: { 'kit/index': 'kit/node/index.ts', 'ai-sdk/index': 'kit/aiSdk/index.ts' },
			outdir: 'dist/cjs',
			target: `node${leastNode}`,
		}),
		build({
			...plugin,
			write,
			format: 'esm',
			entryPoints: ['client-opencode/contextd.ts'],
			outfile: 'dist/opencode/contextd.js',
			// What is bundled asks for Node's modules as CommonJS does.
			banner: {
				js: "import { createRequire as contextdRequire } from 'node:module'; const require = contextdRequire(import.meta.url);",
			},
		}),
		build({
			...plugin,
			write,
			entryPoints: ['client-pi/contextd.ts'],
			outfile: 'dist/pi/contextd.js',
		}),
		...['status', 'statusline'].map((name) =>
			build({
				...common,
				write,
				minifyIdentifiers: true,
				entryPoints: [`server/status/${name}Main.ts`],
				outfile: `dist/${name}.cjs`,
				target: `node${leastNode}`,
			}),
		),
	]);
	return bundles.map(({ metafile }) => metafile);
}
