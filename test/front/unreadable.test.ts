import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needsPosix } from '../support/needs.ts';
import { sessionAnswers } from './fakeDaemon.ts';
import { runCommand } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const commands = [['stats'], ['compact'], ['export', '-f', 'contextd']];

describe('a file that cannot be read', () => {
	// A socket exists but cannot be opened as a file, like a file of another user.
	describe.skipIf(process.platform === 'win32')('a file that cannot be opened', needsPosix, () => {
		let socket: Server;
		let path: string;

		beforeEach(async () => {
			path = join(folder, 'closed.jsonl');
			socket = createServer();
			await new Promise<void>((resolve) => socket.listen(path, resolve));
		});

		afterEach(() => socket.close());

		it.each(commands)('%s names a file that cannot be opened in a one-line error', async (...command) => {
			const { code, out, err } = await runCommand([...command, path]);
			expect({ code, out }).toEqual({ code: 2, out: '' });
			expect(err).toMatch(/^contextd: .*closed\.jsonl: .*ENXIO.*\n$/);
		});
	});

	it.each(commands)(
		'%s names a folder, a missing file or an overlong name in a one-line error',
		async (...command) => {
			await symlink(join(folder, 'nothing'), join(folder, 'dangling'));
			for (const [name, why] of [
				['.', 'expected a file, got a folder'],
				['dangling', 'no such file'],
				['missing/file', 'no such file'],
				['x'.repeat(300), 'the name is too long'],
			]) {
				const path = `${folder}/${name}`;
				const { code, err } = await runCommand([...command, path]);
				expect({ code, err }).toEqual({ code: 2, err: `contextd: ${path}: ${why}\n` });
			}
		},
	);
});

describe('an output that cannot be written', () => {
	const answers = {
		...sessionAnswers(),
		'context/stats': () => statsWith(),
		'context/compact': () => compactionWith({ messages: [{ role: 'user', content: 'kept' }] }),
		'context/export': () => ({ text: 'the file', messageCount: 1, compaction: compactionWith() }),
	};

	it.each([
		['compact', []],
		['export', ['-f', 'contextd']],
	])(
		'%s names an output that cannot be written in one line, and leaves no file behind',
		async (command, more) => {
			const input = join(folder, 'in.jsonl');
			await writeFile(input, '{"role":"user","content":"hi"}\n');
			const output = join(folder, 'x'.repeat(300));
			const { code, err } = await runCommand([command, ...more, '-o', output, input], { answers });
			expect({ code, err }).toEqual({
				code: 1,
				err: `contextd: cannot write ${output}: the name is too long\n`,
			});
			expect(await readdir(folder)).toEqual(['in.jsonl']);
		},
	);

	it('the output may have a name of 255 characters', async () => {
		const output = join(folder, 'x'.repeat(255));
		const { code } = await runCommand(['compact', '-o', output], {
			answers,
			stdin: Readable.from(['{"role":"user","content":"hi"}\n']),
		});
		expect(code).toBe(0);
	});
});
