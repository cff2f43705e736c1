import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RecallResult } from '../../server/protocol/history.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { bundleProgram } from '../support/childProgram.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRecorder } from '../support/recorder.ts';

const secret = 'zq4711xv';
// In this folder, the bundle can import the packages of the project.
const program = join(import.meta.dirname, `../../node_modules/.cache/forgettingChild-${process.pid}.cjs`);

let folder: string;

beforeEach(async () => {
	folder = join(freshFolder(), 'recorder');
	mkdirSync(folder, { mode: 0o700 });
	await bundleProgram(new URL('../support/forgettingChild.ts', import.meta.url), program);
});

afterEach(async () => {
	rmSync(program, { force: true });
	await removeFolders();
});

/** Names of the files that contain the secret in plain text, as the words of the index do. */
function filesWithSecret(): string[] {
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isFile() && readFileSync(join(folder, entry.name)).includes(secret))
		.map(({ name }) => name);
}

it('a daemon that is killed while it forgets a text completes that when it starts again', async () => {
	const archive = new Archive(join(folder, 'archive.sqlite'));
	const { recordingId } = archive.create({ agent: 'claude-code', label: 'Claude Code', path: '/x/s.jsonl' });
	const entries = [`The key is ${secret}`, 'The harbour is closed'].map((content, at) => {
		const text = JSON.stringify({ type: 'user', uuid: `u${at}`, message: { role: 'user', content } });
		return { at, text };
	});
	archive.append(recordingId, { entries });
	archive.close();
	const before = createTestRecorder(folder, folder);
	const search = (recorder: typeof before, query: string) =>
		recorder.ask<RecallResult>('recall', { query }).then(({ matches }) => matches.length);
	await eventually(async () => {
		expect(await search(before, secret)).toBe(1);
		expect(filesWithSecret()).toEqual(['index.sqlite']);
	});
	await before.stop();

	expect(spawnSync(process.execPath, [program, folder, secret]).signal).toBe('SIGKILL');
	expect(filesWithSecret()).toEqual(['index.sqlite']);

	const after = createTestRecorder(folder, folder);
	await eventually(async () => expect(await search(after, 'harbour')).toBe(1));
	expect(await search(after, secret)).toBe(0);
	await after.stop();
	expect(filesWithSecret()).toEqual([]);
	expect(existsSync(join(folder, 'erasing'))).toBe(false);
});
