import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchFiles } from '../../server/node/transcript/watchFiles.ts';
import { eventually } from '../support/eventually.ts';

let folder: string;
let path: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-watch-'));
	path = join(folder, 'growing.jsonl');
	await writeFile(path, '');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

it('watchFiles reports a growing file every half second, and its last line', async () => {
	const calls: number[] = [];
	let seen = Promise.resolve('');
	const stop = watchFiles([path], () => {
		calls.push(performance.now());
		seen = readFile(path, 'utf8');
	});
	let lines = '';
	for (let index = 0; calls.length < 4; index++) {
		const line = `line ${index}\n`;
		lines += line;
		await appendFile(path, line);
		await setTimeout(20);
	}
	await eventually(async () => expect(await seen).toBe(lines));
	stop();
	const gaps = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
	// A timer may fire a millisecond early.
	expect(Math.min(...gaps)).toBeGreaterThan(490);
});
