import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const sessionsFolder = path.resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus', 'sessions');

/** Path of the folder of recorded sessions, which have one JSON message per line; undefined if it does not exist. */
export const corpusFolder = existsSync(sessionsFolder) ? sessionsFolder : undefined;

/** Returns every string in the content and the tool calls of all recorded messages. */
export function corpusTexts(): string[] {
	const texts: string[] = [];
	for (const file of readdirSync(sessionsFolder)) {
		const lines = readFileSync(path.join(sessionsFolder, file), 'utf8').split('\n');
		for (const line of lines.slice(1)) {
			if (line === '') continue;
			const { content, toolCalls } = JSON.parse(line);
			collectStrings([content, toolCalls], texts);
		}
	}
	return texts;
}

function collectStrings(value: unknown, into: string[]): void {
	if (typeof value === 'string') into.push(value);
	else if (value !== null && typeof value === 'object') {
		for (const each of Object.values(value)) collectStrings(each, into);
	}
}
