import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleProgram, runProgram } from '../support/childProgram.ts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-space-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** MiB of V8's space for new objects after many were created. */
async function newSpaceMib(mode: 'limited' | 'unlimited'): Promise<number> {
	const file = join(folder, 'program.mjs');
	await bundleProgram(new URL('./newSpaceProgram.ts', import.meta.url), file);
	const { lines, ended } = runProgram(file, [mode]);
	await ended;
	return Number(lines[0]);
}

it('keeps the space for new objects at its size', async () => {
	expect(await newSpaceMib('unlimited')).toBeGreaterThan(8);
	expect(await newSpaceMib('limited')).toBeLessThanOrEqual(4);
});
