import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contextHistory } from '../../server/protocol/history.ts';
import { sessionClose, sessionDelete } from '../../server/protocol/session.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { contextStats } from '../../server/protocol/stats.ts';
import { contextDiscover, contextImport } from '../../server/protocol/transcript.ts';
import { freshFolder, startingApps, testServices } from '../support/app.ts';

const apps = startingApps();

/** Sets up a daemon, a workspace, and a Claude Code transcript of it. */
async function setUp() {
	const folder = freshFolder();
	const home = join(folder, 'home');
	const workspace = join(folder, 'project');
	const project = join(home, 'projects', workspace.replace(/[^a-zA-Z0-9]/g, '-'));
	await mkdir(project, { recursive: true });
	await mkdir(workspace);
	const path = join(project, 'one.jsonl');
	await writeFile(path, lines(workspace, 0, 1));
	const app = await apps.start({
		environment: { CLAUDE_CONFIG_DIR: home },
		initialize: {
			workspaceFolders: [{ uri: pathToFileURL(workspace).href, name: 'project' }],
			capabilities: { experimental: { contextd: { notifications: true } } },
		},
	});
	return { app, path, workspace };
}

/** Returns prompts and answers `from` to `to`; answer n reports n thousand tokens. */
function lines(cwd: string, from: number, to: number): string {
	const turns = Array.from({ length: to - from }, (_, index) => from + index).flatMap((turn) => [
		{
			type: 'user',
			message: { role: 'user', content: `Question ${turn}` },
			uuid: `u${turn}`,
			sessionId: 's',
			cwd,
		},
		{
			type: 'assistant',
			uuid: `a${turn}`,
			sessionId: 's',
			cwd,
			message: {
				id: `m${turn}`,
				role: 'assistant',
				model: 'claude-sonnet-4-5',
				content: [{ type: 'text', text: `Answer ${turn}` }],
				usage: { input_tokens: 1000 * (turn + 1), output_tokens: 10 },
			},
		},
	]);
	return `${turns.map((turn) => JSON.stringify(turn)).join('\n')}\n`;
}

describe('a transcript that the daemon follows', () => {
	it('a transcript is found for its workspace, imported, and followed with pushed figures', async () => {
		const { app, path, workspace } = await setUp();
		const found = await app.ask(contextDiscover, {});
		expect(found.transcripts).toEqual([
			expect.objectContaining({ path, agent: 'claude-code', title: 'Question 0' }),
		]);
		const imported = await app.ask(contextImport, { path: pathToFileURL(path).href, follow: true });
		expect(imported).toMatchObject({ source: 'claude-code', messageCount: 2, skipped: [] });
		const { sessionId } = imported;
		const listed = await app.ask(contextDiscover, {});
		expect(listed.transcripts[0]?.sessionId).toBe(sessionId);

		await appendFile(path, lines(workspace, 1, 3));
		await app.awaitNotification(
			'context/didChange',
			({ stats }: { stats: ContextStats | null }) => stats?.messageCount === 6 && stats.source === 'reported',
		);
		const stats = await app.ask(contextStats, { sessionId });
		expect(stats).toMatchObject({
			estimatedInputTokens: 3010,
			provider: 'anthropic',
			model: 'claude-sonnet-4-5',
		});
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect(messages).toHaveLength(6);
	});

	it('a followed transcript is released when its session is closed, and can be imported again', async () => {
		const { app, path, workspace } = await setUp();
		const { sessionId } = await app.ask(contextImport, { path, follow: true });
		await app.ask(sessionClose, { sessionId });
		expect((await app.ask(contextDiscover, {})).transcripts[0]?.sessionId).toBeUndefined();
		await appendFile(path, lines(workspace, 1, 2));
		await expect(app.ask(contextImport, { path })).resolves.toMatchObject({ sessionId, messageCount: 4 });
	});

	it('a growing transcript does not bring back its deleted session', async () => {
		const { app, path, workspace } = await setUp();
		const { sessionId } = await app.ask(contextImport, { path, follow: true });
		await app.ask(sessionDelete, { sessionId });
		await appendFile(path, lines(workspace, 1, 2));
		await new Promise((done) => setTimeout(done, 300));
		expect(await app.refusal('context/stats', { sessionId })).toMatchObject({
			data: { kind: 'SessionNotFound' },
		});
	});

	it('a followed transcript is the same session for every client', async () => {
		const home = freshFolder();
		const path = join(home, 'one.jsonl');
		await writeFile(path, lines('/w', 0, 1));
		const services = testServices({ stateFolder: home });
		const [first, second] = [await apps.start({ home, services }), await apps.start({ home, services })];
		const { sessionId } = await first.ask(contextImport, { path, follow: true });
		const seen = await second.ask(contextImport, { path, follow: true });
		expect(seen).toMatchObject({ sessionId, source: 'claude-code', messageCount: 2 });
		await appendFile(path, lines('/w', 1, 2));
		const count = async () => (await second.ask(contextStats, { sessionId }))?.messageCount;
		await expect.poll(count).toBe(4);
		await apps.stop();
		await services.close();
	});

	it('an import says why a file is no transcript, or cannot be read', async () => {
		const { app, workspace } = await setUp();
		const path = join(workspace, 'notes.txt');
		await writeFile(path, 'only words\n');
		const refused = await app.refusal('context/import', { path });
		expect(refused.data?.kind).toBe('UnsupportedFormat');
		expect(refused.message).toContain('claude-code');
		const missing = await app.refusal('context/import', { path: `${path}.gone` });
		expect(missing.data?.kind).toBe('FileUnreadable');
	});
});
