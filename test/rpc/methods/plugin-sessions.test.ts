import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sessionOpen } from '../../../server/protocol/session.ts';
import { contextDiscover } from '../../../server/protocol/transcript.ts';
import { freshFolder, startingApps } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { begin, statsIn } from '../../support/talk.ts';

const apps = startingApps();

describe('sessions of plugins', () => {
	it("a plugin's session is measured by the agent's settings, including those of its folder", async () => {
		const folder = freshFolder();
		mkdirSync(join(folder, '.claude'));
		writeFileSync(join(folder, '.claude', 'settings.json'), '{"autoCompactWindow": 150000}');
		const app = await apps.start({ userHome: freshFolder() });
		const workspace = pathToFileURL(folder).href;
		await app.ask(sessionOpen, { sessionId: 'claude:s', model: 'claude-sonnet-4-5', workspace });
		await begin(app, 'claude:s', [userSays('hi')]);
		expect((await statsIn(app, 'claude:s')).limit).toEqual({
			tokens: 117_000,
			of: 'agent',
			compacts: 'contextd',
		});
	});

	it("context/discover lists the plugin's session with its agent's transcript", async () => {
		const userHome = freshFolder();
		const folder = freshFolder();
		const place = join(userHome, '.claude', 'projects', folder.replaceAll(/[^a-zA-Z0-9]/g, '-'));
		mkdirSync(place, { recursive: true });
		for (const name of ['one', 'two']) {
			const line = {
				type: 'user',
				uuid: 'u',
				sessionId: name,
				cwd: folder,
				message: { role: 'user', content: name },
			};
			writeFileSync(join(place, `${name}.jsonl`), `${JSON.stringify(line)}\n`);
		}
		const app = await apps.start({ userHome });
		await begin(app, 'claude:one', [userSays('hi')]);
		const { transcripts } = await app.ask(contextDiscover, { workspace: folder });
		const ids = transcripts.map(({ title, sessionId }) => [title, sessionId]);
		expect(new Map(ids as [string, string | undefined][])).toEqual(
			new Map([
				['one', 'claude:one'],
				['two', undefined],
			]),
		);
	});
});
