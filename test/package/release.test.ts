/** Runs the release script in a separate checkout. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder } from '../support/removeFolder.ts';

interface ReleaseScript {
	dateChangelog(text: string, version: string, date: string): string;
	getNotes(changelog: string, version: string): string;
	prepareRelease(root: string, version: string, date: string): Promise<string>;
}
const script = new URL('../../scripts/release.mjs', import.meta.url).href;
const { dateChangelog, getNotes, prepareRelease }: ReleaseScript = await import(script);

const changelog =
	'# Changelog\n\n## 0.2.0 - unreleased\n\n- A meter.\n\n## 0.1.0 - 2026-01-01\n\n- A start.\n';
let root: string;

function git(...args: string[]): string {
	return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
		cwd: root,
		encoding: 'utf8',
	}).trim();
}

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'contextd-release-'));
	git('init', '--quiet');
	git('config', 'user.name', 't');
	git('config', 'user.email', 't@example.org');
	mkdirSync(join(root, 'client-vscode'));
	const manifest = { name: 'x', version: '0.1.0', workspaces: ['client-vscode'] };
	writeFileSync(join(root, 'package.json'), `${JSON.stringify(manifest, null, '\t')}\n`);
	writeFileSync(
		join(root, 'client-vscode/package.json'),
		`${JSON.stringify({ name: 'y', version: '0.1.0' }, null, '\t')}\n`,
	);
	writeFileSync(join(root, '.gitignore'), 'node_modules/\n');
	writeFileSync(join(root, 'CHANGELOG.md'), changelog);
	execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], {
		cwd: root,
	});
	git('add', '--all');
	git('commit', '--quiet', '--message', 'start');
	git('tag', 'v0.1.0');
});
afterEach(() => removeFolder(root));

it('sets the version everywhere, dates the changelog, commits and tags', async () => {
	expect(await prepareRelease(root, '0.2.0', '2026-02-03')).toBe('v0.2.0');
	for (const name of ['package.json', 'client-vscode/package.json', 'package-lock.json'])
		expect(JSON.parse(readFileSync(join(root, name), 'utf8')).version).toBe('0.2.0');
	expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain('## 0.2.0 - 2026-02-03\n\n- A meter.');
	expect(git('log', '-1', '--format=%s')).toBe('chore: release 0.2.0');
	expect(git('describe', '--exact-match')).toBe('v0.2.0');
	expect(git('status', '--porcelain')).toBe('');
});

it.each([
	['0.1.0', 'the tag v0.1.0 exists already'],
	['0.0.9', 'expected a version after 0.1.0, got 0.0.9'],
	['next', 'expected a version X.Y.Z, got "next"'],
])('refuses %s and changes nothing', async (version, message) => {
	await expect(prepareRelease(root, version, '2026-02-03')).rejects.toThrow(message);
	expect(git('status', '--porcelain')).toBe('');
	expect(git('tag', '--list')).toBe('v0.1.0');
});

it('refuses a checkout with changes', async () => {
	writeFileSync(join(root, 'new.txt'), '');
	await expect(prepareRelease(root, '0.2.0', '2026-02-03')).rejects.toThrow('the checkout has changes');
});

it('refuses a changelog without anything to release', () => {
	expect(() => dateChangelog('## 0.1.0 - 2026-01-01\n\n- A start.\n', '0.2.0', '2026-02-03')).toThrow(
		'unreleased',
	);
	expect(() => dateChangelog('## 0.2.0 - unreleased\n\n', '0.2.0', '2026-02-03')).toThrow('is empty');
});

it('takes the notes of a release from its section of the changelog', () => {
	expect(getNotes(changelog, '0.2.0')).toBe('- A meter.');
	expect(getNotes(changelog, '0.1.0')).toBe('- A start.');
	expect(getNotes(changelog, '9.9.9')).toBe('');
});
