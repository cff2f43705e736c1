import { execFileSync } from 'node:child_process';
import {
	mkdir,
	mkdtemp,
	open,
	readdir,
	readFile,
	realpath,
	rename,
	rm,
	stat,
	symlink,
	utimes,
	writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanSavedOutputs } from '../../../server/node/files/savedOutputs.ts';
import { type OutputContext, truncateToolOutput } from '../../../server/node/files/truncateToolOutput.ts';
import { needs } from '../../support/needs.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

let base: string;
let workspace: string;
let context: OutputContext;
const isRoot = process.getuid?.() === 0;

beforeEach(async () => {
	base = await realpath(await mkdtemp(join(tmpdir(), 'contextd-output-')));
	workspace = join(base, 'work space');
	await mkdir(workspace);
	context = {
		workspaceFolders: [pathToFileURL(workspace).href],
		savedOutputs: { stateFolder: join(base, 'state') },
	};
});
afterEach(() => rm(base, { recursive: true, force: true }));

const lines = (count: number) => Array.from({ length: count }, (_, index) => `row ${index + 1}\n`).join('');

describe('an output given as text', () => {
	it('a shortened text is saved privately', async () => {
		const output = `${lines(3000)}ü🙂`.repeat(200);
		const result = await truncateToolOutput({ output, saveToDisk: true }, context);
		const savedPath = result.savedPath!;
		expect(result.content).toContain(`. Full output saved to: ${savedPath}]`);
		expect(await readFile(savedPath, 'utf8')).toBe(output);
		expect((await stat(savedPath)).mode & 0o777).toBe(0o600);
		expect((await stat(join(base, 'state', 'outputs'))).mode & 0o777).toBe(0o700);
	});

	it('a text that fits is not saved', async () => {
		const result = await truncateToolOutput({ output: 'short', saveToDisk: true }, context);
		expect(result).toMatchObject({ content: 'short', truncated: false });
		expect(result.savedPath).toBeUndefined();
	});

	it('a shortened text is saved in the given folder of the workspace', async () => {
		const saveDir = join(workspace, 'logs', 'deep');
		const result = await truncateToolOutput(
			{ output: lines(9), maxLines: 2, saveToDisk: true, saveDir },
			context,
		);
		expect(result.savedPath!.startsWith(saveDir)).toBe(true);
	});

	it('a shortened text is never saved outside the workspace, by a link or by dots', async () => {
		await symlink(base, join(workspace, 'link'));
		for (const saveDir of [base, join(workspace, 'link', 'x'), `${workspace}/../x`, join(workspace, '..')]) {
			const request = { output: lines(9), maxLines: 2, saveToDisk: true, saveDir };
			await expect(truncateToolOutput(request, context)).rejects.toMatchObject({ kind: 'OutsideWorkspace' });
		}
		expect(await readdir(base)).toEqual(['work space']);
	});

	it('a shortened text is never saved in the folder of journals, by any path', async () => {
		const state = join(base, 'state');
		await mkdir(join(state, 'sessions'), { recursive: true });
		await symlink(join(state, 'sessions'), join(state, 'alias'));
		for (const name of ['sessions', 'sessions/deep', 'alias', 'outputs/../sessions']) {
			const request = { output: lines(9), maxLines: 2, saveToDisk: true, saveDir: `${state}/${name}` };
			await expect(truncateToolOutput(request, context)).rejects.toMatchObject({ kind: 'InvalidParams' });
		}
		expect(await readdir(join(state, 'sessions'))).toEqual([]);
	});

	it('truncateToolOutput fails with StorageFailed if the output cannot be saved', async () => {
		await writeFile(join(workspace, 'file'), '');
		const request = { output: lines(9), maxLines: 2, saveToDisk: true, saveDir: join(workspace, 'file') };
		await expect(truncateToolOutput(request, context)).rejects.toMatchObject({ kind: 'StorageFailed' });
	});
});

it('truncateToolOutput requires either a text or a file', async () => {
	await expect(truncateToolOutput({}, context)).rejects.toMatchObject({ kind: 'InvalidParams' });
	await expect(truncateToolOutput({ output: '', uri: 'x' }, context)).rejects.toMatchObject({
		kind: 'InvalidParams',
	});
});

describe('an output given as a file', () => {
	const ofFile = (name: string, options = {}) =>
		truncateToolOutput({ uri: pathToFileURL(join(workspace, name)).href, ...options }, context);

	it('an output file is shortened like a text', async () => {
		await writeFile(join(workspace, 'out.log'), lines(3000));
		const byText = await truncateToolOutput({ output: lines(3000) }, context);
		expect(await ofFile('out.log')).toEqual(byText);
	});

	it('truncateToolOutput reads only both ends of a file of four gigabytes', async () => {
		const size = 4 * 2 ** 30;
		const handle = await open(join(workspace, 'huge.log'), 'w');
		await handle.write(lines(20_000), 0);
		await handle.write(`${lines(20_000)}end`, size - Buffer.byteLength(`${lines(20_000)}end`));
		await handle.close();
		const spent = processorClock();
		const result = await ofFile('huge.log', { direction: 'both' });
		expect(spent()).toBeLessThan(1000 * machineSlowness());
		expect(result.originalSize).toBe(size);
		expect(result.originalLines).toBeUndefined();
		expect(result.content.startsWith('row 1\n')).toBe(true);
		expect(result.content.endsWith('row 20000\nend')).toBe(true);
		expect(Buffer.byteLength(result.content)).toBeLessThanOrEqual(51_200);
	});

	it('the kept end of an output file starts at a whole character', async () => {
		for (const filler of ['é', '漢', '🙂']) {
			await writeFile(join(workspace, 'long.txt'), `x${filler.repeat(1_200_000)}`);
			const result = await ofFile('long.txt', { maxBytes: 1000 });
			const kept = result.content.slice(result.content.indexOf('\n') + 1);
			expect(kept.replaceAll(filler, '')).toBe('');
			expect(result.cutLine).toBe('last');
		}
	});

	it('an output file may be UTF-16 or Latin-1', async () => {
		const wide = `\ufeff${lines(300_000)}`;
		await writeFile(join(workspace, 'wide.txt'), Buffer.from(wide, 'utf16le'));
		expect((await ofFile('wide.txt', { maxLines: 2 })).content.endsWith('\nrow 300000\n')).toBe(true);
		await writeFile(join(workspace, 'latin.txt'), Buffer.from('größe\n'.repeat(400_000), 'latin1'));
		expect((await ofFile('latin.txt', { maxLines: 2 })).content.endsWith('\ngröße\n')).toBe(true);
	});

	it('a binary output file is described', async () => {
		await writeFile(join(workspace, 'program'), Buffer.alloc(3_000_000));
		expect((await ofFile('program')).content).toBe(
			'[Output truncated from 3000000 bytes to 0 bytes] [Binary output is not shown]',
		);
	});

	it('an output file must lie in the workspace, with symbolic links resolved', async () => {
		await writeFile(join(base, 'secret'), 'secret');
		await symlink(join(base, 'secret'), join(workspace, 'innocent'));
		await writeFile(join(workspace, 'real'), 'text');
		await symlink(join(workspace, 'real'), join(workspace, 'alias'));
		expect((await ofFile('alias')).content).toBe('text');
		for (const uri of [
			join(base, 'secret'),
			join(workspace, 'innocent'),
			`${workspace}/../secret`,
			'/etc/passwd',
		]) {
			await expect(truncateToolOutput({ uri }, context)).rejects.toMatchObject({ kind: 'OutsideWorkspace' });
		}
	});

	it('an output file that is exchanged between check and opening never leaks another file', async () => {
		await writeFile(join(base, 'secret'), 'secret');
		await mkdir(join(workspace, 'inner'));
		await mkdir(join(base, 'outer'));
		await writeFile(join(workspace, 'inner', 'file'), 'text');
		await writeFile(join(base, 'outer', 'file'), 'secret');
		let swapping = true;
		const swapper = (async () => {
			for (let target = 0; swapping; target += 1) {
				await symlink(target % 2 ? join(workspace, 'inner') : join(base, 'outer'), join(base, 'next'));
				await rename(join(base, 'next'), join(workspace, 'swapped'));
			}
		})();
		const seen = new Set<string>();
		for (let round = 0; round < 300; round += 1) {
			const look = ofFile('swapped/file').then(
				(result) => result.content,
				(failure: { kind: string }) => failure.kind,
			);
			seen.add(await look);
		}
		swapping = false;
		await swapper;
		expect(seen).not.toContain('secret');
		for (const outcome of seen) expect(['text', 'OutsideWorkspace', 'FileUnreadable']).toContain(outcome);
	});

	it('an output file must be an existing regular file', async () => {
		execFileSync('sh', ['-c', 'mkfifo "$0"', join(workspace, 'pipe')]);
		const server = createServer().listen(join(workspace, 'socket'));
		await expect(ofFile('pipe')).rejects.toThrow('pipe is a named pipe, not a regular file');
		await expect(ofFile('socket')).rejects.toThrow('socket is a socket');
		await expect(ofFile('.')).rejects.toThrow('is a folder');
		await expect(ofFile('absent')).rejects.toThrow('absent does not exist');
		await expect(ofFile('a'.repeat(300))).rejects.toThrow('its name is too long');
		await expect(truncateToolOutput({ uri: 'https://x/y' }, context)).rejects.toThrow('the scheme "https"');
		server.close();
	});

	it.skipIf(isRoot)(
		'an unreadable output file fails with a lack of permission',
		needs('another user than root'),
		async () => {
			await writeFile(join(workspace, 'shut'), '', { mode: 0 });
			await expect(ofFile('shut')).rejects.toThrow('permission denied');
		},
	);
});

describe('saved outputs', () => {
	it('cleanSavedOutputs removes outputs that are too old or exceed the total size, and nothing else', async () => {
		const outputs = join(base, 'state', 'outputs');
		const saved: string[] = [];
		for (let index = 0; index < 4; index += 1) {
			const result = await truncateToolOutput({ output: lines(9), maxLines: 2, saveToDisk: true }, context);
			await utimes(result.savedPath!, index * 100, index * 100);
			saved.push(result.savedPath!);
		}
		await writeFile(join(outputs, 'notes.txt'), 'mine');
		const size = Buffer.byteLength(lines(9));
		const options = { ...context.savedOutputs, maxAgeMs: 250_000, maxTotalBytes: size * 2 };
		expect(await cleanSavedOutputs(options, 400_000)).toBe(2);
		expect((await readdir(outputs)).length).toBe(3);
		expect(await readFile(saved[3]!, 'utf8')).toBe(lines(9));
		expect(await cleanSavedOutputs({ stateFolder: join(base, 'nowhere') }, 0)).toBe(0);
	});
});
