import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { sessionHoldView } from '../../../server/protocol/session.ts';
import { type App, freshFolder, startingApps } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { begin } from '../../support/talk.ts';

const apps = startingApps();
const sessionId = 'claude:s';

/** Starts a daemon that holds this view. */
async function holding(view: string): Promise<{ app: App; checksum: string; path: string }> {
	const app = await apps.start({ home: freshFolder() });
	await begin(app, sessionId, [userSays('hi')]);
	const { checksum = '', path = '' } = await app.ask(sessionHoldView, { sessionId, view });
	return { app, checksum, path };
}

const heldIn = async (path: string) => JSON.parse((await readFile(path, 'utf8')).split('\n')[1] ?? '');

describe('held views that are text', () => {
	it('a held text can be extended behind any part of its beginning, repeatedly', async () => {
		const { app, checksum, path } = await holding('größer: one, two');
		const first = await app.ask(sessionHoldView, {
			sessionId,
			view: 'three',
			behind: { checksum, units: 13 },
		});
		expect(await heldIn(path)).toBe('größer: one, three');
		const behind = { checksum: first.checksum ?? '', units: 18 };
		await app.ask(sessionHoldView, { sessionId, view: ' and four', behind });
		expect(await heldIn(path)).toBe('größer: one, three and four');
	});

	it.each([
		['another checksum', { checksum: 'ab', units: 2 }, 'more'],
		['more of it than there is', { units: 200 }, 'more'],
		['what is no text behind it', { units: 2 }, { more: 1 }],
	])('a held text stays unchanged if a call names %s', async (_what, behind, view) => {
		const { app, checksum, path } = await holding('one, two');
		const call = app.ask(sessionHoldView, { sessionId, view, behind: { checksum, ...behind } });
		await expect(call).rejects.toThrow(/params\.(?:behind|view): /);
		expect(await heldIn(path)).toBe('one, two');
	});

	it('a held text whose file was damaged cannot be extended', async () => {
		const { app, checksum, path } = await holding('one, two');
		await writeFile(path, (await readFile(path, 'utf8')).replace('two', 'too'));
		const call = app.ask(sessionHoldView, { sessionId, view: '!', behind: { checksum, units: 8 } });
		await expect(call).rejects.toThrow(/params\.(?:behind|view): /);
	});
});
