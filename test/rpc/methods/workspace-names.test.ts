import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionList, sessionOpen } from '../../../server/protocol/session.ts';
import { contextImport } from '../../../server/protocol/transcript.ts';
import { type App, freshFolder, removeFolders, startTestApp } from '../../support/app.ts';

let app: App;
let folder: string;

beforeAll(async () => {
	folder = join(freshFolder(), 'my work');
	mkdirSync(folder);
	app = await startTestApp();
});

afterAll(async () => {
	await app.stop();
	await removeFolders();
});

const namesOf = (path: string): string[] => [
	path,
	`${path}/`,
	pathToFileURL(path).href,
	`${pathToFileURL(path).href}/`,
	pathToFileURL(path).href.replace('file:', 'FILE:'),
	pathToFileURL(path).href.replace('file://', 'file://LocalHost'),
];

async function listed(workspace: string): Promise<string[]> {
	const { sessions } = await app.ask(sessionList, { workspace });
	return sessions.map(({ sessionId }) => sessionId).sort();
}

describe('workspaces as plain paths', () => {
	it("a workspace's path and URI name the same workspace when sessions are opened and listed", async () => {
		const names = namesOf(folder);
		for (const [index, workspace] of names.entries()) {
			await app.ask(sessionOpen, { sessionId: `opened-${index}`, workspace });
		}
		await app.ask(sessionOpen, { sessionId: 'elsewhere', workspace: `${folder}er` });
		const opened = names.map((_, index) => `opened-${index}`);
		for (const workspace of names) expect(await listed(workspace)).toEqual(opened);
		expect(await listed(`${pathToFileURL(folder).href}er`)).toEqual(['elsewhere']);
	});

	it('a workspace is listed as a URI', async () => {
		await app.ask(sessionOpen, { sessionId: 'told', workspace: folder });
		const { sessions } = await app.ask(sessionList, { workspace: folder });
		expect(sessions.find(({ sessionId }) => sessionId === 'told')?.workspace).toBe(
			pathToFileURL(folder).href,
		);
	});

	it('an older client names its folder by rootPath alone', async () => {
		const older = await startTestApp({ initialize: { rootPath: folder } });
		await older.ask(sessionOpen, { sessionId: 'older' });
		const { sessions } = await older.ask(sessionList, { workspace: folder });
		expect(sessions.map(({ sessionId }) => sessionId)).toContain('older');
		await older.stop();
	});

	it('a followed transcript accepts a workspace as a plain path', async () => {
		const path = join(folder, 'talk.jsonl');
		const line = { role: 'user', content: 'Go.' };
		writeFileSync(
			path,
			`${JSON.stringify(line)}\n${JSON.stringify({ role: 'assistant', content: 'Done.' })}\n`,
		);
		const { sessionId } = await app.ask(contextImport, { path, workspace: folder, follow: true });
		expect(await listed(pathToFileURL(folder).href)).toContain(sessionId);
	});
});
