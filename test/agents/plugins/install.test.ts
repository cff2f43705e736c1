/** Installing contextd into an agent, and uninstalling it. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { newestRequest, textOf } from './requests.ts';

const cut = 'lines in all; contextd_recall with';

await insideAgents(({ host, begin }) => {
	it('a plugin applies the settings for all plugins', { timeout }, async () => {
		const session = await begin();
		const settings = join(session.home, '.local/state/contextd/agents/settings.json');
		const set = { ...JSON.parse(await readFile(settings, 'utf8')), agents: { toolResultTokens: 0 } };
		await writeFile(settings, JSON.stringify(set));
		await session.restart();
		await session.turn([]);
		expect(await session.running().command('contextd', '')).toMatch(/tokens \(<?\d+%\)/);
		await session.turn([15_000]);
		expect(textOf(newestRequest(session))).not.toContain(cut);
	});

	it('doctor checks the installed plugin, and uninstalling leaves no file behind', { timeout }, async () => {
		const session = await begin();
		expect(await session.contextd('doctor', host.agent.name)).toContain('the plugin is');
		await session.turn([4000]);
		const inside = newestRequest(session);
		await session.running().end();
		await session.contextd('uninstall', host.agent.name);
		expect(existsSync(join(session.home, host.file))).toBe(false);
		await expect(session.contextd('doctor', host.agent.name)).rejects.toMatchObject({
			stderr: expect.stringContaining('not installed'),
		});
		await session.restart();
		await session.turn([4000]);
		expect(newestRequest(session).request.tools.has('contextd_recall')).toBe(false);
		expect(inside.request.tools.has('contextd_recall')).toBe(true);
	});
});
