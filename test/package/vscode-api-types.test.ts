import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeAll(async () => {
	folder = mkdtempSync(path.join(tmpdir(), 'contextd-api-types-'));
	const { writeApiTypes } = (await import(path.join(root, 'client-vscode/types.mjs'))) as {
		writeApiTypes(outfile: string): Promise<void>;
	};
	await writeApiTypes(path.join(folder, 'contextd.d.ts'));
	mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
	for (const name of ['vscode', 'node'])
		symlinkSync(path.join(root, 'node_modules/@types', name), path.join(folder, 'node_modules/@types', name));
});

afterAll(() => rmSync(folder, { recursive: true }));

function compile(source: string): string {
	writeFileSync(path.join(folder, 'agent.ts'), source);
	const options = [
		'--ignoreConfig',
		'--noEmit',
		'--strict',
		'--module',
		'nodenext',
		'--types',
		'node,vscode',
	];
	const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
	return spawnSync(process.execPath, [tsc, ...options, 'agent.ts'], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Returns the TypeScript samples of the extension's page. */
function samples(): string[] {
	const page = readFileSync(path.join(root, 'client-vscode/README.md'), 'utf8');
	return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, sample = '']) => sample);
}

const agent = (body: string) => `
import * as vscode from 'vscode';
import type { ContextExports } from './contextd.d.ts';
export async function run(): Promise<void> {
	const extension = vscode.extensions.getExtension<ContextExports>('contextd.contextd-vscode');
	if (!extension) return;
	const session = await (await extension.activate()).getApi(1).openSession({ model: 'gpt-5' });
	${body}
}
`;

it('the types of the API are one file with which an extension compiles', () => {
	expect(readFileSync(path.join(folder, 'contextd.d.ts'), 'utf8')).not.toMatch(/from '\./);
	expect(
		compile(agent('const ratio: number | undefined = (await session.stats())?.usageRatio; void ratio;')),
	).toBe('');
	expect(
		compile(agent('const api = (await extension.activate()).getApi(1); void api.currentSession?.percent;')),
	).toBe('');
	expect(compile(agent('session.nothing();'))).toContain("'nothing' does not exist");
});

it('compiles the samples of the extension’s page under strict', () => {
	expect(samples()).toHaveLength(2);
	for (const sample of samples()) expect(compile(sample)).toBe('');
	expect(compile(samples()[0]?.replace(/^.*is not installed.*$/m, '') ?? '')).toContain('possibly');
});
