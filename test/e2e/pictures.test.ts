import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { needsPosix } from '../support/needs.ts';

const title = 'the pictures of docs/getting-started.md show what the commands print';
it.skipIf(process.platform === 'win32')(title, needsPosix, () => {
	const { status, stderr } = spawnSync(process.execPath, ['scripts/pictures.mjs', '--check'], {
		encoding: 'utf8',
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
