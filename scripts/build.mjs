/** Builds what `contextd` needs to run into `dist/` (one bundle, the token tables, the notices), and the extension. */

import { chmod, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildExtension } from '../client-vscode/build.mjs';
import { writeRanks } from './ranks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

await mkdir(`${root}/dist`, { recursive: true });
await Promise.all([
	writeRanks(`${root}/dist`),
	build({
		entryPoints: [`${root}/server/main.ts`],
		outfile: `${root}/dist/contextd.cjs`,
		bundle: true,
		platform: 'node',
		target: 'node20.19',
		format: 'cjs',
		minifySyntax: true,
		minifyWhitespace: true,
		banner: { js: '#!/usr/bin/env node' },
		define: { CONTEXTD_VERSION: JSON.stringify(version) },
		legalComments: 'external',
		logLevel: 'warning',
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
