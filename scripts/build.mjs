/** Builds what `contextd` needs to run into `dist/` (its command, the program, the token tables, the notices), and the extension. */

import { chmod, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildExtension } from '../client-vscode/build.mjs';
import { writeRanks } from './ranks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version, engines } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const leastNode = engines.node.replace('>=', '');
const common = {
	bundle: true,
	platform: 'node',
	format: 'cjs',
	minifySyntax: true,
	minifyWhitespace: true,
	logLevel: 'warning',
};

await mkdir(`${root}/dist`, { recursive: true });
await Promise.all([
	writeRanks(`${root}/dist`),
	build({
		...common,
		entryPoints: [`${root}/server/contextd.ts`],
		outfile: `${root}/dist/contextd.cjs`,
		external: ['./main.cjs'],
		// Any Node that somebody may still have must be able to say that it is too old.
		target: 'node12',
		banner: { js: '#!/usr/bin/env node' },
		define: { CONTEXTD_LEAST_NODE: JSON.stringify(leastNode) },
	}),
	build({
		...common,
		entryPoints: [`${root}/server/main.ts`],
		outfile: `${root}/dist/main.cjs`,
		target: `node${leastNode}`,
		define: { CONTEXTD_VERSION: JSON.stringify(version) },
		legalComments: 'external',
	}),
]);
await buildExtension({ root });
await linkCommand();

/** Puts the command where `npx contextd` looks first, so that it need not install the checkout elsewhere. */
async function linkCommand() {
	await chmod(`${root}/dist/contextd.cjs`, 0o755);
	if (process.platform === 'win32') return;
	const link = `${root}/node_modules/.bin/contextd`;
	await mkdir(`${root}/node_modules/.bin`, { recursive: true });
	await rm(link, { force: true });
	await symlink('../../dist/contextd.cjs', link);
}
