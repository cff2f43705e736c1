/** Builds the package into `dist/` (the command, the program, the token tables), the extension, and the notices of both. */

import { chmod, mkdir, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildExtension } from '../client-vscode/build.mjs';
import { bundleProgram } from './bundles.mjs';
import { writeNotices } from './notices.mjs';
import { writeRanks } from './ranks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await mkdir(`${root}/dist`, { recursive: true });
const [program] = await Promise.all([bundleProgram({ write: true }), writeRanks(`${root}/dist`)]);
const extension = await buildExtension({ root });
await writeNotices([...program, ...extension]);
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
