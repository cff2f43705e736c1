import { stat } from 'node:fs/promises';
import { isMissing } from '../../core/failure.ts';
import { printableText } from '../output/printable.ts';
import { badInput, systemErrorReason } from './failure.ts';

/** Throws with exit code 2 unless the user named an existing folder. */
export async function requireFolder(name: string): Promise<void> {
	const found = await stat(name).catch((error: unknown) => {
		throw badInput(
			`${printableText(name)}: ${isMissing(error) ? 'no such folder' : systemErrorReason(error)}`,
		);
	});
	if (!found.isDirectory()) throw badInput(`${printableText(name)}: expected a folder, got a file`);
}
