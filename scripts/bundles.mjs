/** What the package holds, bundled: its command, its program, what it asks models with, its status lines, and the modules that it exports. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { bundleInParts } from './parts.mjs';

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

/** Names in the code of others are shortened: it is a third less to read. Names of our own stand in what errors say. */
const shortNames = {
	name: 'short-names',
	setup(builds) {
		builds.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path: file }) => {
			const source = await readFile(file, 'utf8');
			const { code } = await transform(source, { minifyIdentifiers: true, platform: 'node' });
			return { contents: code, loader: 'js' };
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

/**
 * One file that an agent loads, a module by its words alone: no `package.json` beside it says so. It knows by itself of no
 * folder that it was bundled to.
 */
const plugin = {
	...common,
	target: `node${leastNode}`,
	define: { __dirname: '""' },
	format: 'esm',
	// What is bundled asks for Node's modules as CommonJS does.
	banner: {
		js: "import { createRequire as contextdRequire } from 'node:module'; const require = contextdRequire(import.meta.url);",
	},
};

/** What the program reads when it is first needed, by its doors: for its first answer it needs none of it. */
const parts = {
	serve: ['server/app.ts'],
	command: ['server/command.ts'],
	commands: [
		'server/front/compact.ts',
		'server/front/completion.ts',
		'server/front/install/run.ts',
		'server/front/kept/run.ts',
		'server/front/transcript/export.ts',
	],
	floors: ['server/wiring.ts'],
	storage: [
		'server/node/holder/askHolder.ts',
		'server/node/holder/holderSocket.ts',
		'server/node/journal/expiry.ts',
		'server/node/journal/fileJournalStore.ts',
	],
	history: ['server/rpc/methods/history.ts', 'server/session/history.ts'],
	compaction: [
		'server/rpc/methods/compact.ts',
		'server/rpc/methods/withoutSession.ts',
		'server/session/count.ts',
		'server/session/compaction/export.ts',
		'server/session/compaction/sourceReader.ts',
		'server/core/compact/thread/lookThrough.ts',
	],
	transcripts: [
		'server/rpc/methods/transcript.ts',
		'server/session/transcript/import.ts',
		'server/node/transcriptFiles.ts',
		'server/node/transcript/thread/readForDaemon.ts',
	],
	files: [
		'server/rpc/methods/files.ts',
		'server/node/files/observer.ts',
		'server/node/files/truncateToolOutput.ts',
	],
};

/** Those that a daemon may come to need. */
const daemonParts = ['floors', 'storage', 'history', 'compaction', 'transcripts', 'files'];

/** Bundles into `dist/`, or nowhere where `write` is false. Gives esbuild's metafile of each bundle. */
export async function bundlePackage({ write }) {
	const bundles = await Promise.all([
		build({
			...common,
			write,
			entryPoints: ['server/contextd.ts'],
			outfile: 'dist/contextd.cjs',
			external: ['./program.cjs', './status.cjs', './statusline.cjs', './hook.cjs'],
			// Any Node that somebody may still have must be able to say that it is too old.
			target: 'node12',
			banner: { js: '#!/usr/bin/env node' },
			define: { contextdLeastNode: JSON.stringify(leastNode) },
		}),
		build({
			...common,
			write,
			entryPoints: ['server/program.ts'],
			outfile: 'dist/program.cjs',
			target: `node${leastNode}`,
		}),
		bundleInParts({
			...common,
			write,
			root,
			entry: 'server/main.ts',
			parts,
			plugins: [jsonAsText, shortNames],
			name: 'main',
			out: 'dist',
			external: ['./models.cjs'],
			target: `node${leastNode}`,
			define: {
				contextdVersion: JSON.stringify(version),
				contextdParts: JSON.stringify(daemonParts.map((part) => `./main-${part}.cjs`).join(' ')),
			},
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
			entryPoints: ['client-opencode/contextd.ts'],
			outfile: 'dist/opencode/contextd.js',
		}),
		build({
			...plugin,
			write,
			entryPoints: ['client-pi/contextd.ts'],
			outfile: 'dist/pi/contextd.js',
		}),
		...['status/status', 'status/statusline', 'hooks/hook'].map((name) =>
			build({
				...common,
				write,
				minifyIdentifiers: true,
				entryPoints: [`server/${name}Main.ts`],
				outfile: `dist/${path.basename(name)}.cjs`,
				target: `node${leastNode}`,
			}),
		),
	]);
	return bundles.map(({ metafile }) => metafile);
}
