import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists } from '../../core/failure.ts';

/** Maximum nesting of JSON in strings of JSON in which a text is searched; each level escapes the text once more. */
const maxNestedStrings = 4;

/** Returns the bytes of each form in which a text may be stored: unchanged, or escaped for levels of JSON strings. */
export function listStoredForms(text: string): Buffer[] {
	const forms = [text];
	for (let depth = 0; depth < maxNestedStrings; depth++)
		forms.push(JSON.stringify(forms.at(-1)).slice(1, -1));
	return [...new Set(forms)].map((form) => Buffer.from(form));
}

/** Returns the paths of a folder's files that contain one of the forms; none if the folder is missing. */
export async function findFilesContaining(folder: string, forms: readonly Buffer[]): Promise<string[]> {
	const paths: string[] = [];
	const entries = (await ifExists(readdir(folder, { withFileTypes: true }))) ?? [];
	for (const entry of entries) {
		const path = join(folder, entry.name);
		if (entry.isFile() && (await ifExists(containsAny(path, forms)))) paths.push(path);
	}
	return paths;
}

/** Whether a file contains one of the forms. Reads the file in pieces. */
async function containsAny(path: string, forms: readonly Buffer[]): Promise<boolean> {
	const overlap = Math.max(...forms.map(({ length }) => length)) - 1;
	let rest: Buffer = Buffer.alloc(0);
	for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
		const bytes = Buffer.concat([rest, piece]);
		if (forms.some((form) => bytes.includes(form))) return true;
		rest = bytes.subarray(Math.max(0, bytes.length - overlap));
	}
	return false;
}

/** Returns the distinct matches of a global pattern in a file. A match may have at most 200 characters. */
export async function findMatches(path: string, pattern: RegExp): Promise<string[]> {
	const matches = new Set<string>();
	let rest = '';
	for await (const piece of createReadStream(path, 'latin1') as AsyncIterable<string>) {
		const text = rest + piece;
		for (const [match] of text.matchAll(pattern)) matches.add(match);
		rest = text.slice(-maxMatchLength);
	}
	return [...matches];
}

const maxMatchLength = 200;
