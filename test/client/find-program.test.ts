import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasProgram } from '../../client-vscode/src/commands/findProgram.ts';

let home: string;

beforeEach(() => {
	home = mkdtempSync(path.join(tmpdir(), 'contextd-test-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(folder: string, mode: number): void {
	mkdirSync(path.join(home, folder), { recursive: true });
	writeFileSync(path.join(home, folder, 'agent'), '#!/bin/sh\n');
	chmodSync(path.join(home, folder, 'agent'), mode);
}

describe.skipIf(process.platform === 'win32')('program of an agent', () => {
	it('finds the program of an agent in the PATH', async () => {
		const folders = `/nowhere::${path.join(home, 'tools')}`;
		expect(await hasProgram('agent', { PATH: folders }, home)).toBe(false);
		put('tools', 0o755);
		expect(await hasProgram('agent', { PATH: folders }, home)).toBe(true);
	});

	it('finds the program of an agent where its installer puts it', async () => {
		put('.local/bin', 0o755);
		expect(await hasProgram('agent', {}, home)).toBe(true);
	});

	it('takes no file for a program that cannot be executed', async () => {
		put('tools', 0o644);
		expect(await hasProgram('agent', { PATH: path.join(home, 'tools') }, home)).toBe(false);
	});
});
