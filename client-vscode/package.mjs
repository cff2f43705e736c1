/** Packs the built extension into one vsix. */

import { copyFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';

const here = path.dirname(fileURLToPath(import.meta.url));
/** Bytes that the vsix may have. */
const limit = 3_000_000;
/** What stands at the root of the checkout and belongs into the vsix. */
const licences = ['LICENSE', 'THIRD-PARTY-NOTICES.txt'];

/**
 * Packs `folder`, which holds the extension with what was built into its `dist/`. Rejects where the file is
 * larger than it may be.
 */
export async function packExtension(packagePath, folder = here) {
	await Promise.all(licences.map((name) => copyFile(path.join(here, '..', name), path.join(folder, name))));
	try {
		await createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true });
	} finally {
		await Promise.all(licences.map((name) => rm(path.join(folder, name))));
	}
	const { size } = await stat(packagePath);
	if (size > limit) throw new Error(`the vsix has ${size} bytes, more than ${limit}`);
	return size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const packagePath = path.join(here, 'contextd.vsix');
	const size = await packExtension(packagePath);
	console.log(`${packagePath}: ${(size / 1e6).toFixed(2)} MB`);
}
