import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDetached } from '../../server/relay/startDaemon.ts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-start-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that reports what a daemon would be started with, and how far its new space grows under load. */
const program = `
const { getHeapSpaceStatistics } = require('node:v8');
let objects = [];
for (let round = 0; round < 60; round++) {
	objects = Array.from({ length: 20_000 }, (_, index) => ({ text: 'object ' + index }));
}
const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
const report = { args: process.argv.slice(2), newSpaceMib: space_size / 2 ** 20, last: objects.length };
require('node:fs').writeFileSync('report.json', JSON.stringify(report));
`;

it('starts a daemon whose new objects take at most 4 MiB', async () => {
	const file = join(folder, 'program.cjs');
	await writeFile(file, program);
	await startDetached([process.execPath, file], folder);
	const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
	expect(report.args).toEqual(['daemon', 'serve', '--storage', folder]);
	// Objects are copied between two halves of 2 MiB.
	expect(report.newSpaceMib).toBeLessThanOrEqual(4);
});
