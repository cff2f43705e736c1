import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isTranscriptFile } from '../../client-vscode/src/commands/exportFile.ts';

let folder: string;
const index = (name: string): string => path.join(folder, name);

beforeAll(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'contextd-transcript-'));
	for (const name of ['session.jsonl', 'sessions.db', 'other.jsonl']) writeFileSync(index(name), name);
	symlinkSync(index('session.jsonl'), index('link.jsonl'));
	linkSync(index('session.jsonl'), index('hard.jsonl'));
});

afterAll(() => rmSync(folder, { recursive: true }));

it.each([
	['the transcript itself', 'session.jsonl', 'session.jsonl', true],
	['a symbolic link to it', 'link.jsonl', 'session.jsonl', true],
	['a hard link to it', 'hard.jsonl', 'session.jsonl', true],
	['the database that contains it', 'sessions.db', 'sessions.db#ses_1', true],
	['another file', 'other.jsonl', 'session.jsonl', false],
	['a file that is not there yet', 'new.jsonl', 'session.jsonl', false],
	['any file if the transcript is gone', 'other.jsonl', 'gone.jsonl', false],
])('isTranscriptFile for %s', async (_, file, transcript, expected) => {
	expect(await isTranscriptFile(index(file), index(transcript))).toBe(expected);
});
