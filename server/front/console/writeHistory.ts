import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createWorkFailure, describeSystemError } from './failure.ts';

/**
 * Yields messages as JSON Lines, or as a JSON array if the file's name ends in `.json`; in pieces of moderate size.
 */
export function* formatMessages(messages: readonly unknown[], output: string): Generator<string> {
	if (!output.toLowerCase().endsWith('.json')) {
		for (const message of messages) yield `${JSON.stringify(message)}\n`;
		return;
	}
	yield '[';
	for (const [index, message] of messages.entries()) {
		yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(message)}`;
	}
	yield '\n]\n';
}

/** Writes the history to a file; atomically if that is a regular file. */
export function writeHistory(messages: readonly unknown[], output: string): Promise<void> {
	return writeTextFile(formatMessages(messages, output), output);
}

/** Writes a text to a file; atomically if that is a regular file. */
export async function writeTextFile(text: string | Iterable<string>, output: string): Promise<void> {
	try {
		const stats = await stat(output).catch(() => undefined);
		const target = stats ? await realpath(output) : output;
		if (stats && !stats.isFile()) await writeFile(target, text);
		else await replaceFile(text, target, stats?.mode ?? 0o666);
	} catch (error) {
		throw createWorkFailure(`cannot write ${output}: ${describeSystemError(error)}`);
	}
}

async function replaceFile(text: string | Iterable<string>, target: string, mode: number): Promise<void> {
	const draft = join(dirname(target), `.contextd-${process.pid}.part`);
	try {
		await writeFile(draft, text, { mode });
		await rename(draft, target);
	} catch (error) {
		// If the draft cannot be removed either, the first error is the one to report.
		await rm(draft, { force: true }).catch(() => undefined);
		throw error;
	}
}
