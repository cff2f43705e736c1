/** The copy of the program that agents start. Changes to the package do not affect it. */

import { createHash } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readBytesIfExists, replaceFolder } from './replaceFile.ts';

/** The file with the checksums of all other files of its folder. */
const manifestName = 'checksums.json';
/** Parts of the package that only dependent packages need. */
const unusedParts = new Set(['cjs', 'esm', manifestName]);

/** Checksums by file name in the folder; SHA-256, hexadecimal. */
type Checksums = Readonly<Record<string, string>>;

/** The folder with the copies of all versions. */
export function programsFolder(stateFolder: string): string {
	return join(stateFolder, 'programs');
}

/** The folder with the copy of a version. */
export function programFolder(stateFolder: string, version: string): string {
	return join(programsFolder(stateFolder), version);
}

/** The file of a copy that Node runs. */
export function programFile(folder: string): string {
	return join(folder, 'contextd.cjs');
}

/**
 * Copies the program, unless an intact copy of the same bytes exists. Returns the folder.
 * @param source the package folder that contains the program
 */
export async function copyProgram(source: string, stateFolder: string, version: string): Promise<string> {
	const folder = programFolder(stateFolder, version);
	const wanted = await checksumsOf(source);
	if ((await programProblem(folder)) === undefined && isSame(await manifestOf(folder), wanted)) return folder;
	await replaceFolder(folder, async (draft) => {
		await cp(source, draft, { recursive: true, filter: (path) => isProgram(relative(source, path)) });
		await writeFile(join(draft, manifestName), JSON.stringify(wanted, null, 1), { mode: 0o600 });
	});
	return folder;
}

/** What is wrong with a copy; undefined if it is intact. */
export async function programProblem(folder: string): Promise<string | undefined> {
	const manifest = await manifestOf(folder);
	if (manifest === undefined) return 'is missing';
	const found = await checksumsOf(folder);
	const wrong = Object.keys(manifest).find((name) => found[name] !== manifest[name]);
	return wrong === undefined ? undefined : `has been changed: ${wrong}`;
}

async function manifestOf(folder: string): Promise<Checksums | undefined> {
	const bytes = await readBytesIfExists(join(folder, manifestName));
	return bytes && (JSON.parse(bytes.toString('utf8')) as Checksums);
}

function isProgram(name: string): boolean {
	return !unusedParts.has(name.split(/[\\/]/)[0] ?? '');
}

async function checksumsOf(folder: string): Promise<Checksums> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	const names = files.map((path) => relative(folder, path)).filter(isProgram);
	const sums = names.sort().map(async (name) => {
		const bytes = await readFile(join(folder, name));
		return [name, createHash('sha256').update(bytes).digest('hex')] as const;
	});
	return Object.fromEntries(await Promise.all(sums));
}

function isSame(one: Checksums | undefined, other: Checksums): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
