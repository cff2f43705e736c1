import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Builder {
	bundleForHost(name: string, outfile: string): Promise<void>;
}

/** Milliseconds of processor time: wall time depends on what else the machine does. */
const limit = 50;

describe('activation of the extension', () => {
	let folder: string;
	let script: string;

	beforeAll(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'contextd-activation-'));
		script = path.join(folder, 'extension.cjs');
		const builder = fileURLToPath(new URL('../../client-vscode/build.mjs', import.meta.url));
		const { bundleForHost } = (await import(builder)) as Builder;
		await bundleForHost('extension.ts', script);
	});

	afterAll(() => rmSync(folder, { recursive: true }));

	it(`the extension activates in less than ${limit} ms of processor time, without loading the language client`, () => {
		const stub = fileURLToPath(new URL('./vscodeStub.cjs', import.meta.url));
		const runs = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, [stub, script])));
		expect(Math.min(...runs)).toBeLessThan(limit);
		expect(statSync(script).size).toBeLessThan(100_000);
	});
});
