import { stat, writeFile } from 'node:fs/promises';
import { createWorkFailure, describeSystemError } from '../console/failure.ts';
import { replaceFile } from '../install/parts/files.ts';

/** Yields messages as JSON Lines, or as a JSON array if the file's name ends in `.json`; in pieces of moderate size. */
export function* formatMessages(messages: readonly unknown[], output: string): Generator<string> {
	if (!output.toLowerCase().endsWith('.json')) {
		for (const message of messages) yield `${JSON.stringify(message)}\n`;
		return;
	}
	yield '[';
	for (const [index, message] of messages.entries())
		yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(message)}`;
	yield '\n]\n';
}

/** Writes a text to a file; atomically if that is a regular file. */
export async function writeTextFile(text: string | Iterable<string>, output: string): Promise<void> {
	try {
		const stats = await stat(output).catch(() => undefined);
		if (stats && !stats.isFile()) await writeFile(output, text);
		else await replaceFile(output, text, 0o666 & ~process.umask());
	} catch (error) {
		throw createWorkFailure(`cannot write ${output}: ${describeSystemError(error)}`);
	}
}
