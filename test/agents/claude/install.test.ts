/** Installing contextd into the real Claude Code, and uninstalling it. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { insideClaudeCode } from './inside.ts';
import { readingSteps } from './script.ts';
import { type Terminal, terminal } from './terminal.ts';
import { mainOf, summariesOf } from './wire.ts';

/** Settings that a person wrote by hand. */
const settings =
	'{\n\t"permissions" : { "defaultMode": "bypassPermissions" },\n\n\t"skipDangerousModePermissionPrompt": true\n}\n';

await insideClaudeCode((begin) => {
	let shown: Terminal | undefined;

	afterEach(() => {
		shown?.end();
		shown = undefined;
	});

	it('doctor passes an installation into Claude Code, and uninstalling restores the exact bytes', {
		timeout: 60_000,
	}, async () => {
		const session = await begin({ isPlain: true });
		const file = join(session.home, '.claude/settings.json');
		await writeFile(file, settings);
		session.contextd('install', 'claude');
		const text = await readFile(file, 'utf8');
		expect(text).toContain('"contextd@contextd": true');
		expect(text).toContain('"permissions" : { "defaultMode": "bypassPermissions" }');
		expect(session.contextd('doctor', 'claude')).not.toContain('✗');
		expect(session.contextd('uninstall', 'claude')).toContain('restored');
		expect(await readFile(file, 'utf8')).toBe(settings);
		expect(existsSync(join(session.home, '.claude/plugins/cache/contextd'))).toBe(false);
		for (const name of ['installed_plugins', 'known_marketplaces']) {
			const kept = await readFile(join(session.home, `.claude/plugins/${name}.json`), 'utf8').catch(() => '');
			expect(kept).not.toContain('contextd');
		}
	});

	it('uninstalling keeps every byte of an edit that was made after the installation', {
		timeout: 60_000,
	}, async () => {
		const session = await begin({ isPlain: true });
		const file = join(session.home, '.claude/settings.json');
		await writeFile(file, settings);
		session.contextd('install', 'claude');
		const edited = (await readFile(file, 'utf8')).replace('{\n', '{\n\t"theme":   "dark",\n');
		await writeFile(file, edited);
		session.contextd('uninstall', 'claude');
		expect(await readFile(file, 'utf8')).toBe(settings.replace('{\n', '{\n\t"theme":   "dark",\n'));
	});

	it('the meter appears within a minute of the installation, and the plugin compacts in a terminal', {
		timeout: 120_000,
	}, async () => {
		const begun = performance.now();
		const session = await begin();
		const { mock, home, project } = session;
		mock.script(await readingSteps(session, 8, 12_000));
		shown = terminal(session.command(), project, session.environment());
		expect(await shown.shows('❯')).toBe(true);
		await shown.type('Please read the documents.');
		expect(await shown.shows('All documents were read.')).toBe(true);
		expect(await shown.shows('k left')).toBe(true);
		expect(performance.now() - begun).toBeLessThan(60_000);
		const requests = mainOf(mock.exchanges).length;
		await shown.type('/compact');
		expect(await shown.shows('Not compacted · Context reduced from')).toBe(true);
		await shown.type('/contextd');
		expect(await shown.shows('last decision:')).toBe(true);
		expect(mainOf(mock.exchanges)).toHaveLength(requests);
		expect(summariesOf(mock.exchanges)).toBe(0);
		expect(existsSync(join(home, '.claude/projects'))).toBe(true);
	});
});
