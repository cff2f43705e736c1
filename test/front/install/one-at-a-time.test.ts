import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runOneAtATime } from '../../../server/front/install/parts/oneAtATime.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';

afterEach(removeFolders);

const { pid: endedPid } = spawnSync(process.execPath, ['-e', '0']);

it.each([
	['an empty lock', ''],
	['the lock of a process that has ended', `${endedPid}\n`],
])('runOneAtATime takes over %s', async (_, left) => {
	const stateFolder = freshFolder();
	const folder = join(stateFolder, 'agents');
	await mkdir(folder);
	await writeFile(join(folder, 'install.lock'), left);
	const held = await runOneAtATime(stateFolder, () => readFile(join(folder, 'install.lock'), 'utf8'));
	expect(held).toBe(`${process.pid}\n`);
	expect(await readdir(folder)).toEqual([]);
});

it('runOneAtATime runs work one after another', async () => {
	const stateFolder = freshFolder();
	let running = 0;
	const most: number[] = [];
	const work = async () => {
		most.push(++running);
		await new Promise(setImmediate);
		running--;
	};
	await Promise.all([1, 2, 3].map(() => runOneAtATime(stateFolder, work)));
	expect(most).toEqual([1, 1, 1]);
});
