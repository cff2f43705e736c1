import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type Counter, createCounter, type Vocabulary } from '../core/measure/text/exactCounter.ts';

/**
 * Reads the rank file of a vocabulary from `folder` (the one that the daemon was built into) and gives the
 * counter for it. Reading and decompressing go on in the background; building the table then takes some
 * tens of ms, so it is not for the start of the daemon.
 *
 * Rejects with the error of the file system when the file cannot be read, with one of zlib when it is not
 * Brotli, and with a RangeError when its content is not a rank file.
 */
export async function loadCounter(folder: string, vocabulary: Vocabulary): Promise<Counter> {
	const compressed = await readFile(path.join(folder, `ranks-${vocabulary}.br`));
	return createCounter(await promisify(brotliDecompress)(compressed), vocabulary);
}
