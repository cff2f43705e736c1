/** Builds what `contextd` needs to run into `dist/`: one bundle, the token tables, the notices. */

import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
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
		banner: { js: '#!/usr/bin/env node' },
		define: { CONTEXTD_VERSION: JSON.stringify(version) },
		legalComments: 'external',
		logLevel: 'warning',
	}),
]);
