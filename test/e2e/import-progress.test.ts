import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sessionList } from '../../server/protocol/session.ts';
import { type App, freshFolder, startingApps } from '../support/app.ts';

const apps = startingApps();

async function started(): Promise<{ app: App; path: string }> {
	const path = join(freshFolder(), 'session.jsonl');
	const line = `${JSON.stringify({ role: 'user', content: 'x'.repeat(10_000) })}\n`;
	await writeFile(path, line.repeat(1_500));
	return { app: await apps.start(), path };
}

function kinds(app: App, token: string): string[] {
	return app.inbox.flatMap(({ method, params }) => {
		const { token: own, value } = (params ?? {}) as { token?: string; value?: { kind: string } };
		return method === '$/progress' && own === token && value ? [value.kind] : [];
	});
}

it('an import reports progress under the token of its request', async () => {
	const { app, path } = await started();
	await app.start('context/import', { path, workDoneToken: 't' }).reply;
	const told = kinds(app, 't');
	expect(told[0]).toBe('begin');
	expect(told.at(-1)).toBe('end');
	expect(told.filter((kind) => kind === 'report').length).toBeGreaterThan(0);
});

it('a cancelled import ends its progress and leaves no session behind', async () => {
	const { app, path } = await started();
	const { id, reply } = app.start('context/import', { path, workDoneToken: 't' });
	await app.awaitNotification('$/progress');
	app.cancel(id);
	expect(await reply).toMatchObject({ error: { code: -32800 } });
	expect(kinds(app, 't').at(-1)).toBe('end');
	expect((await app.ask(sessionList, {})).sessions).toEqual([]);
});
