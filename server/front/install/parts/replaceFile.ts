import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ifThere } from '../../../core/failure.ts';

/** The bytes of a file; undefined where there is none. */
export function bytesAt(path: string): Promise<Buffer | undefined> {
	return ifThere(readFile(path));
}

/** Links on the way to a file at most, as systems have it. */
const mostLinks = 40;

/** The file that a path leads to over symbolic links, whether it is there or not. */
export async function targetOf(path: string): Promise<string> {
	let target = resolve(path);
	for (let links = 0; links < mostLinks; links++) {
		const real = await ifThere(realpath(target));
		if (real !== undefined) return real;
		const next = await readlink(target).catch(() => undefined);
		if (next === undefined) return target;
		target = resolve(dirname(target), next);
	}
	return target;
}

/**
 * Replaces a file's bytes, all or none: whoever reads it meanwhile sees the old ones or the new ones. Symbolic links
 * stay, and what they lead to is replaced; a file that was there keeps its mode, and its owner where root does this.
 * @param mode of a file that was not there
 */
export async function replaceFile(path: string, bytes: Buffer | string, mode: number): Promise<void> {
	const target = await targetOf(path);
	const found = await stat(target).catch(() => undefined);
	await mkdir(dirname(target), { recursive: true, mode: 0o700 });
	const draft = `${target}.${randomBytes(6).toString('hex')}.contextd`;
	try {
		const file = await open(draft, 'wx', 0o600);
		try {
			await file.writeFile(bytes);
			await file.sync();
		} finally {
			await file.close();
		}
		if (found !== undefined && process.getuid?.() === 0) await chown(draft, found.uid, found.gid);
		await chmod(draft, found === undefined ? mode : found.mode & 0o7777);
		await rename(draft, target);
	} catch (error) {
		await rm(draft, { force: true });
		throw error;
	}
}

/**
 * Replaces a folder by one that `fill` makes under another name; the old one stays if that fails. The folder around it
 * is created for its user alone.
 */
export async function replaceFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
	const draft = `${folder}.${randomBytes(6).toString('hex')}`;
	await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
	try {
		await fill(draft);
		await rm(folder, { recursive: true, force: true });
		await rename(draft, folder);
	} catch (error) {
		await rm(draft, { recursive: true, force: true });
		throw error;
	}
}
