/** What is kept of a journal that was damaged or replaced, beside the journal that takes its place. */

import { constants } from 'node:fs';
import { chmod, copyFile, rename } from 'node:fs/promises';
import { errorCode } from '../../core/failure.ts';
import { storageFailure } from './failure.ts';
import { exists } from './folder.ts';

/** Copies a journal beside itself, closed to other users; gives the path of the copy. */
export async function keepCopy(path: string): Promise<string> {
	for (let number = 1; ; number++) {
		const copy = copyPath(path, number);
		try {
			await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
			await chmod(copy, 0o600);
			return copy;
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') throw storageFailure('keep a copy of', path, error);
		}
	}
}

/** Moves whatever stands in a journal's place aside; gives where it is now. */
export async function moveAside(path: string): Promise<string> {
	let number = 1;
	while (await exists(copyPath(path, number))) number++;
	const aside = copyPath(path, number);
	try {
		await rename(path, aside);
		return aside;
	} catch (error) {
		throw storageFailure('move aside', path, error);
	}
}

function copyPath(path: string, number: number): string {
	return `${path}.damaged-${number}`;
}
