import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { truncateToTokenBudget } from '../../../server/core/measure/truncateToTokenBudget.ts';
import { readForWindow } from '../../../server/node/files/fileReader.ts';
import type { FileReadRequest } from '../../../server/session/files/reader.ts';

let folder: string;
beforeAll(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), 'contextd-window-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(bytes: string | Buffer, budgetTokens: number, wanted: Partial<FileReadRequest> = {}) {
	await writeFile(join(folder, 'file'), bytes);
	return readForWindow({
		uri: 'file',
		workspaceFolders: [folder],
		allowance: { budgetTokens, remainingTokens: budgetTokens * 2 },
		measure: { count: (text) => Math.ceil(text.length / 4), truncate: truncateToTokenBudget },
		...wanted,
	});
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

it('readForWindow returns a small file whole', async () => {
	expect(await read(lines(10), 50)).toMatchObject({
		status: 'full',
		content: lines(10),
		path: join(folder, 'file'),
		firstLine: 1,
		lastLine: 10,
		totalLines: 10,
	});
});

it('readForWindow cuts a larger file to the lines that the budget holds, and returns a requested range', async () => {
	const cut = await read(lines(50_000), 1000);
	expect(cut.status).toBe('truncated');
	expect(cut.content).toBe(lines(cut.lastLine));
	expect(cut.notice).toContain(`[Lines 1-${cut.lastLine} of 50000 of `);
	const range = await read(lines(50_000), 1000, { startLine: 49_999 });
	expect(range).toMatchObject({ status: 'full', content: 'line 49999\nline 50000\n', totalLines: 50_000 });
});

it('readForWindow returns a preview of a very large file', async () => {
	const preview = await read('0123456789\n'.repeat(600_000), 5000);
	expect(preview.status).toBe('preview');
	expect(preview.content.length).toBeLessThanOrEqual(2000);
	expect(preview.content.length).toBeGreaterThan(1900);
	expect(preview.totalLines).toBe(600_000);
});

it('readForWindow describes an image or a binary file', async () => {
	const gif = await read(Buffer.from('474946383961100020000000000000', 'hex'), 100);
	expect(gif).toMatchObject({ status: 'excluded', content: '', totalLines: 0 });
	expect(gif.notice).toBe(
		`[${join(folder, 'file')} is an image (image/gif, 16x32 pixels, 15 bytes) and not shown as text]`,
	);
	const binary = await read(Buffer.alloc(7), 100);
	expect(binary.notice).toContain('is a binary file (7 bytes)');
});
