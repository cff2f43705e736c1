/**
 * Prepares and packs a release.
 *
 *   node scripts/release.mjs 0.2.0   sets the version, dates the changelog, commits and tags; nothing leaves the machine
 *   node scripts/release.mjs --pack  writes the npm package, the VS Code extension and the notes to release/
 */

import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The manifests that contain the version. */
const manifests = ['package.json', 'client-vscode/package.json'];

/** Runs a command in `root` and returns its output. Throws an error with the command's error output if it fails. */
function run(root, command, ...args) {
	const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
	if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${(stderr || stdout).trim()}`);
	return stdout.trim();
}

/** Compares two versions `major.minor.patch`; returns a positive number if the first is newer. */
function compareVersions(first, second) {
	const [a, b] = [first, second].map((version) => version.split('.').map(Number));
	return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Turns the newest section of the changelog into the section of `version`, released on `date`.
 * Throws if the newest section is not marked as unreleased or is empty.
 */
export function dateChangelog(text, version, date) {
	const heading = /^## (\d+\.\d+\.\d+) - unreleased$/m.exec(text);
	if (heading === null) throw new Error('CHANGELOG.md: expected a section "## X.Y.Z - unreleased"');
	if (getNotes(text, heading[1]) === '') throw new Error(`CHANGELOG.md: the section ${heading[1]} is empty`);
	return text.replace(heading[0], `## ${version} - ${date}`);
}

/** Returns the text of a version's section in the changelog; empty if there is no such section. */
export function getNotes(changelog, version) {
	const sections = changelog.split(/^## /m).slice(1);
	const section = sections.find((text) => text.startsWith(`${version} `)) ?? '';
	return section.slice(section.indexOf('\n') + 1).trim();
}

/**
 * Sets the version, dates the changelog, commits and tags.
 * @param root the checkout
 * @param date of the release, as YYYY-MM-DD
 * @returns the tag
 * Throws before it changes anything if the version is not newer, the tag exists, or the checkout has changes.
 */
export async function prepareRelease(root, version, date) {
	if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`expected a version X.Y.Z, got "${version}"`);
	if (run(root, 'git', 'status', '--porcelain') !== '')
		throw new Error('the checkout has changes: commit them first');
	const tag = `v${version}`;
	if (run(root, 'git', 'tag', '--list', tag) !== '') throw new Error(`the tag ${tag} exists already`);
	const texts = await Promise.all(manifests.map((name) => readFile(path.join(root, name), 'utf8')));
	const current = JSON.parse(texts[0]).version;
	const isFirst = run(root, 'git', 'tag', '--list', 'v*') === '';
	if (compareVersions(version, current) < (isFirst ? 0 : 1))
		throw new Error(`expected a version after ${current}, got ${version}`);
	const changelogFile = path.join(root, 'CHANGELOG.md');
	const changelog = dateChangelog(await readFile(changelogFile, 'utf8'), version, date);

	await writeFile(changelogFile, changelog);
	for (const [index, name] of manifests.entries()) {
		const text = texts[index].replace(`"version": "${current}"`, `"version": "${version}"`);
		await writeFile(path.join(root, name), text);
	}
	const options = ['--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund'];
	run(root, 'npm', 'install', ...options);
	run(root, 'git', 'commit', '--quiet', '--allow-empty', '--all', '--message', `chore: release ${version}`);
	run(root, 'git', 'tag', '--annotate', tag, '--message', tag);
	return tag;
}

/** Writes the npm package, the VS Code extension and the release notes to `release/`, and returns their paths. */
async function packRelease(root) {
	const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
	const folder = path.join(root, 'release');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder);
	const archive = run(root, 'npm', 'pack', '--silent', '--pack-destination', folder).split('\n').at(-1);
	const vsix = path.join(folder, 'contextd.vsix');
	const { packExtension } = await import('../client-vscode/package.mjs');
	await packExtension(vsix);
	const notes = path.join(folder, 'notes.md');
	await writeFile(notes, `${getNotes(await readFile(path.join(root, 'CHANGELOG.md'), 'utf8'), version)}\n`);
	return [path.join(folder, archive), vsix, notes];
}

/** Instructions for a person: the manual steps before and after the first release. */
const manualSteps = `Before the first release:
  - set "repository", "homepage" and "bugs" in package.json
  - decide on the package's name: package.json has it, and npm run docs writes it to the other pages
  - create the publisher "contextd" at the Marketplace and the namespace at Open VSX
  - store the secrets NPM_TOKEN, VSCE_PAT and OVSX_PAT in the environment "release"
Then push the tag: git push --follow-tags. The workflow .github/workflows/release.yml tests, packs and publishes.`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const root = fileURLToPath(new URL('..', import.meta.url));
	const [argument = ''] = process.argv.slice(2);
	try {
		if (argument === '--pack') console.log((await packRelease(root)).join('\n'));
		else {
			const tag = await prepareRelease(root, argument, new Date().toISOString().slice(0, 10));
			console.log(`Committed and tagged ${tag}.\n${manualSteps}`);
		}
	} catch (error) {
		process.stderr.write(`release: ${error.message}\n`);
		process.exitCode = 1;
	}
}
