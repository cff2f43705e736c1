/** Packs the built extension into one vsix. */

import { copyFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';

const here = path.dirname(fileURLToPath(import.meta.url));
/** Bytes that the vsix may have. */
const limit = 3_000_000;

/**
 * Packs `folder`, which holds the extension with what was built into its `dist/`. Rejects where the file is
 * larger than it may be.
 */
export async function packExtension(packagePath, folder = here) {
	const license = path.join(folder, 'LICENSE');
	await copyFile(path.join(here, '..', 'LICENSE'), license);
	try {
		await createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true });
	} finally {
		await rm(license);
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
