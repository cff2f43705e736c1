import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inheritFlag } from '../../server/protocol/hello.ts';
import { startDetached } from '../../server/relay/startDaemon.ts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-start-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that reports its arguments and flags, and says hello over the connection that it inherits. */
const program = `
const { Socket } = require('node:net');
require('node:fs').writeFileSync('report.json', JSON.stringify({ args: process.argv.slice(2), flags: process.env.NODE_OPTIONS }));
new Socket({ fd: 3, readable: true, writable: true }).end('hello');
`;

it('startDetached starts a daemon that inherits a connection and has a small heap for new objects', async () => {
	const file = join(folder, 'program.cjs');
	await writeFile(file, program);
	let end: () => void = () => {};
	const ended = new Promise<void>((resolve) => {
		end = resolve;
	});
	const connection = await startDetached([process.execPath, file], folder, () => end());
	expect(String(connection && (await once(connection, 'data')))).toBe('hello');
	await ended;
	const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
	expect(report).toEqual({
		args: ['daemon', 'serve', '--storage', folder, inheritFlag],
		flags: '--max-semi-space-size=2',
	});
});
