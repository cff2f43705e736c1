import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { badInput, workFailed } from './failure.ts';
import { reasonOf } from './input/source.ts';

/** Refuses a place that could not be written to, before the work is done. */
export async function checkOutput(output: string): Promise<void> {
	const found = await stat(output).catch(() => undefined);
	if (found?.isDirectory()) throw badInput(`-o ${output}: expected a file, got a folder`);
	const folder = await stat(dirname(output)).catch(() => undefined);
	if (!folder?.isDirectory()) throw badInput(`-o ${output}: the folder ${dirname(output)} does not exist`);
}

/** Messages as JSON Lines, or as a JSON array for a name that ends in `.json`; in pieces of moderate size. */
export function* historyText(messages: readonly unknown[], output: string): Generator<string> {
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

/** Writes the history to a file, whole or not at all where the file is a usual one. */
export function writeHistory(messages: readonly unknown[], output: string): Promise<void> {
	return writeWhole(historyText(messages, output), output);
}

/** Writes a text to a file, whole or not at all where the file is a usual one. */
export async function writeWhole(text: string | Iterable<string>, output: string): Promise<void> {
	const found = await stat(output).catch(() => undefined);
	const isUsual = found === undefined || found.isFile();
	const target = found ? await realpath(output) : output;
	const place = isUsual ? `${target}.${process.pid}.part` : target;
	try {
		await writeFile(place, text, { mode: found?.mode ?? 0o666 });
		if (isUsual) await rename(place, target);
	} catch (error) {
		if (isUsual) await rm(place, { force: true });
		throw workFailed(`${output} cannot be written: ${reasonOf(error)}`);
	}
}
