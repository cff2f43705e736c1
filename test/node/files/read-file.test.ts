import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, open, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInWorkspace } from '../../../server/node/files/access.ts';
import { type ReadRange, readFileRange, type TextContent } from '../../../server/node/files/readFile.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const maxUnits = 5 << 20;
let folder: string;
beforeAll(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), 'contextd-read-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, bytes: string | Buffer, range?: Partial<ReadRange>) {
	await writeFile(join(folder, name), bytes);
	return readExisting(name, range);
}

async function readExisting(name: string, range?: Partial<ReadRange>) {
	const file = await openInWorkspace(name, [folder]);
	try {
		return await readFileRange(file, { maxUnits, ...range });
	} finally {
		await file.handle.close();
	}
}

const textOf = (reading: { content: unknown }) => reading.content as TextContent;
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');

describe('readFileRange of a text file', () => {
	it('readFileRange returns a text with its line ends, its hash and its count of lines', async () => {
		const bytes = 'one\r\ntwo\nthree';
		const reading = await read('plain.txt', bytes);
		expect(reading.contentHash).toBe(createHash('sha256').update(bytes).digest('hex'));
		expect(reading).toMatchObject({ path: join(folder, 'plain.txt'), size: 14 });
		expect(reading.content).toEqual({
			kind: 'text',
			encoding: 'utf-8',
			text: bytes,
			firstLine: 1,
			lastLine: 3,
			isCut: false,
			totalLines: 3,
			isReadToEnd: true,
		});
	});

	it('readFileRange counts no line in an empty file, and none after the last line end', async () => {
		expect(textOf(await read('empty', ''))).toMatchObject({ text: '', totalLines: 0, lastLine: 0 });
		expect(textOf(await read('one', 'a\n'))).toMatchObject({ totalLines: 1, lastLine: 1 });
	});

	it('readFileRange returns the requested lines', async () => {
		const reading = await read('lines', numbered(300_000), { startLine: 199_999, endLine: 200_001 });
		expect(textOf(reading)).toMatchObject({
			text: '199999\n200000\n200001\n',
			firstLine: 199_999,
			lastLine: 200_001,
			totalLines: 300_000,
		});
		expect(textOf(await readExisting('lines', { startLine: 300_001 }))).toMatchObject({
			text: '',
			lastLine: 300_000,
			totalLines: 300_000,
		});
		expect(textOf(await readExisting('lines', { startLine: 299_999, endLine: 400_000 })).text).toBe(
			'299999\n300000\n',
		);
	});

	it('readFileRange cuts at maxUnits without splitting a character', async () => {
		const content = textOf(await read('wide', '🙂'.repeat(100), { maxUnits: 7 }));
		expect(content).toMatchObject({ text: '🙂🙂🙂', isCut: true, totalLines: 1, lastLine: 1 });
		expect(textOf(await readExisting('wide', { maxUnits: 0 }))).toMatchObject({ text: '', isCut: true });
		expect(textOf(await readExisting('wide', { maxUnits: 200 })).isCut).toBe(false);
	});

	it('readFileRange detects UTF-8, UTF-16 and Latin-1', async () => {
		const text = 'größe 漢字\r\nzwei\n';
		const swapped = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
		for (const [bytes, encoding] of [
			[Buffer.from(text), 'utf-8'],
			[Buffer.from(`\ufeff${text}`), 'utf-8'],
			[Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
			[swapped, 'utf-16be'],
		] as const) {
			expect(textOf(await read('encoded', bytes))).toMatchObject({ text, encoding, totalLines: 2 });
		}
		const latin = await read('encoded', Buffer.from('größe\n', 'latin1'));
		expect(textOf(latin)).toMatchObject({ text: 'größe\n', encoding: 'latin1' });
	});

	it('readFileRange detects UTF-8 even if the sample ends inside a character', async () => {
		for (const filler of ['é', '漢', '🙂']) {
			for (const shift of ['', 'x', 'xx', 'xxx']) {
				const text = shift + filler.repeat(80_000);
				const content = textOf(await read('long', text));
				expect(content.encoding).toBe('utf-8');
				expect(content.text === text).toBe(true);
			}
		}
	});

	it('readFileRange reads at most the size that the file had when it was opened', async () => {
		await writeFile(join(folder, 'growing'), 'first\n');
		const file = await openInWorkspace('growing', [folder]);
		await appendFile(join(folder, 'growing'), 'second\n');
		expect(textOf(await readFileRange(file, { maxUnits })).text).toBe('first\n');
		await truncate(join(folder, 'growing'), 3);
		expect(textOf(await readFileRange(file, { maxUnits })).text).toBe('fir');
		await file.handle.close();
	});

	it('readFileRange reads only the needed part of a file of ten gigabytes', async () => {
		const handle = await open(join(folder, 'giant.log'), 'w');
		await handle.write(numbered(20_000), 0);
		await handle.truncate(10 * 2 ** 30);
		await handle.close();
		const spent = processorClock();
		const content = textOf(await readExisting('giant.log', { startLine: 10_000, endLine: 10_001 }));
		expect(spent()).toBeLessThan(1000 * machineSlowness());
		expect(content).toMatchObject({ text: '10000\n10001\n', isReadToEnd: false });
		expect(Number.isFinite(content.totalLines)).toBe(true);
	});
});

describe('readFileRange of other files', () => {
	it('readFileRange recognizes a binary file', async () => {
		expect((await read('a.out', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]))).content).toEqual({
			kind: 'binary',
		});
	});

	it('readFileRange recognizes an image and its size in pixels', async () => {
		const png = Buffer.alloc(64);
		png.write('89504e470d0a1a0a', 'hex');
		png.writeUInt32BE(640, 16);
		png.writeUInt32BE(480, 20);
		expect((await read('a.png', png)).content).toEqual({
			kind: 'image',
			mediaType: 'image/png',
			width: 640,
			height: 480,
		});
		const jpeg = Buffer.from('ffd8ffe000040000ffc0001108012c019003', 'hex');
		expect((await read('a.jpg', Buffer.concat([jpeg, Buffer.alloc(20)]))).content).toMatchObject({
			mediaType: 'image/jpeg',
			width: 400,
			height: 300,
		});
		const gif = Buffer.from('474946383961100020000000000000', 'hex');
		expect((await read('a.gif', gif)).content).toMatchObject({
			mediaType: 'image/gif',
			width: 16,
			height: 32,
		});
	});
});

describe('readFileRange with unusual requests', () => {
	it('readFileRange names an invalid range', async () => {
		await expect(read('x', 'x', { startLine: 0 })).rejects.toThrow(
			'startLine: expected a whole number from 1 up',
		);
		await expect(readExisting('x', { startLine: 4, endLine: 3 })).rejects.toThrow('endLine: expected');
	});

	it('readFileRange can be cancelled', async () => {
		const signal = AbortSignal.abort(new Error('no longer wanted'));
		await expect(read('y', 'y', { signal })).rejects.toThrow('no longer wanted');
	});
});
