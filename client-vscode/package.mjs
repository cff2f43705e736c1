/** Packs the built extension into one vsix. */

import { copyFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';

const here = path.dirname(fileURLToPath(import.meta.url));
const license = path.join(here, 'LICENSE');
/** Bytes that the vsix may have. */
const limit = 3_000_000;

await copyFile(path.join(here, '..', 'LICENSE'), license);
const packagePath = path.join(here, 'contextd.vsix');
try {
	await createVSIX({ cwd: here, packagePath, dependencies: false, allowMissingRepository: true });
} finally {
	await rm(license);
}
const { size } = await stat(packagePath);
console.log(`${packagePath}: ${(size / 1e6).toFixed(2)} MB`);
if (size > limit) throw new Error(`the vsix has ${size} bytes, more than ${limit}`);
