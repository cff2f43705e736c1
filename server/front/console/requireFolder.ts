import { stat } from 'node:fs/promises';
import { isMissingFileError } from '../../core/failure.ts';
import { makePrintable } from '../output/printable.ts';
import { createInputFailure, describeSystemError } from './failure.ts';

/** Throws with exit code 2 unless the user named an existing folder. */
export async function requireFolder(name: string): Promise<void> {
	const found = await stat(name).catch((error: unknown) => {
		throw createInputFailure(
			`${makePrintable(name)}: ${isMissingFileError(error) ? 'no such folder' : describeSystemError(error)}`,
		);
	});
	if (!found.isDirectory()) throw createInputFailure(`${makePrintable(name)}: expected a folder, got a file`);
}
