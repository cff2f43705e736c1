/** The copy of the program that agents start, so that changes to the package do not affect them. */

import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readBytesIfExists, replaceFolder } from './files.ts';

/** The file with the checksums of all other files of its folder. */
const manifestName = 'checksums.json';
/** Parts of the package that only dependent packages need. */
const unusedParts = new Set(['cjs', 'esm', manifestName]);

/** SHA-256 checksums in hexadecimal, by file name in the folder. */
type Checksums = Readonly<Record<string, string>>;

/** Returns the folder with the copies of all versions. */
export function getProgramsFolder(stateFolder: string): string {
	return join(stateFolder, 'programs');
}

/** Returns the folder with the copy of a version. */
export function getProgramFolder(stateFolder: string, version: string): string {
	return join(getProgramsFolder(stateFolder), version);
}

/** Returns the file of a copy that Node runs. */
export function getProgramFile(folder: string): string {
	return join(folder, 'contextd.cjs');
}

/**
 * Copies the program, unless an intact copy of the same bytes exists. Returns the folder.
 * @param source the package folder that contains the program
 */
export async function copyProgram(source: string, stateFolder: string, version: string): Promise<string> {
	const folder = getProgramFolder(stateFolder, version);
	const checksums = await computeChecksums(source);
	if (
		(await describeProgramProblem(folder)) === undefined &&
		isDeepStrictEqual(await readManifest(folder), checksums)
	)
		return folder;
	await replaceFolder(folder, async (draft) => {
		await cp(source, draft, { recursive: true, filter: (path) => isProgramFile(relative(source, path)) });
		await writeFile(join(draft, manifestName), JSON.stringify(checksums, null, 1), { mode: 0o600 });
	});
	return folder;
}

/** Describes what is wrong with a copy; undefined if it is intact. */
export async function describeProgramProblem(folder: string): Promise<string | undefined> {
	const manifest = await readManifest(folder);
	if (manifest === undefined) return 'is missing';
	const actual = await computeChecksums(folder);
	const changedFile = Object.keys(manifest).find((name) => actual[name] !== manifest[name]);
	return changedFile === undefined ? undefined : `has been changed: ${changedFile}`;
}

async function readManifest(folder: string): Promise<Checksums | undefined> {
	const bytes = await readBytesIfExists(join(folder, manifestName));
	return bytes && (JSON.parse(bytes.toString('utf8')) as Checksums);
}

function isProgramFile(name: string): boolean {
	return !unusedParts.has(name.split(/[\\/]/)[0] ?? '');
}

async function computeChecksums(folder: string): Promise<Checksums> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	const names = files.map((path) => relative(folder, path)).filter(isProgramFile);
	const sums = names.sort().map(async (name) => {
		const bytes = await readFile(join(folder, name));
		return [name, createHash('sha256').update(bytes).digest('hex')] as const;
	});
	return Object.fromEntries(await Promise.all(sums));
}
