import { createHash } from 'node:crypto';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiscovery, type DiscoverTranscripts } from '../../server/node/transcript/discover/discover.ts';
import { listTranscriptFolders } from '../../server/node/transcript/transcriptFolders.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';

let home: string;
let folder: string;
let discover: DiscoverTranscripts;

beforeEach(async () => {
	home = freshFolder();
	folder = join(home, 'work', 'my.project');
	await mkdir(folder, { recursive: true });
	discover = createDiscovery({ environment: {}, home, platform: 'linux' }, silentLogger);
});

afterEach(removeFolders);

async function put(path: string, records: unknown[] | string, seconds = 1_000): Promise<string> {
	const full = join(home, path);
	await mkdir(dirname(full), { recursive: true });
	const text =
		typeof records === 'string' ? records : records.map((one) => `${JSON.stringify(one)}\n`).join('');
	await writeFile(full, text);
	await utimes(full, seconds, seconds);
	return full;
}

const claude = (cwd: string, content = 'Fix the tests') => [
	{ type: 'user', uuid: 'u', sessionId: 's', cwd, message: { role: 'user', content } },
];
const encoded = (path: string) => path.replace(/[^a-zA-Z0-9]/g, '-');

async function agents(): Promise<string[]> {
	return (await discover(folder)).map(({ agent }) => agent);
}

describe('looking for the transcripts of a folder', () => {
	it('discovery leaves out transcripts of sub-agents', async () => {
		await put(`.claude/projects/${encoded(folder)}/agent-a1b2.jsonl`, claude(folder), 9);
		await put(`.claude/projects/${encoded(folder)}/one.jsonl`, claude(folder), 7);
		expect((await discover(folder)).map(({ updatedAt }) => updatedAt)).toEqual([7_000]);
	});

	it('discovery finds the transcripts of seven agents, newest first', async () => {
		await put(`.claude/projects/${encoded(folder)}/one.jsonl`, claude(folder), 7);
		await put(
			'.codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-x.jsonl',
			[{ timestamp: 't', type: 'session_meta', payload: { id: 'x', cwd: folder } }],
			6,
		);
		const hash = createHash('sha256').update(folder).digest('hex');
		await put(
			`.gemini/tmp/${hash}/chats/session-1.json`,
			JSON.stringify({
				sessionId: 'g',
				projectHash: hash,
				messages: [{ id: '1', type: 'user', content: 'Hi' }],
			}),
			5,
		);
		const piFolder = `--${folder.slice(1).replaceAll('/', '-')}--`;
		await put(
			`.pi/agent/sessions/${piFolder}/1_a.jsonl`,
			[{ type: 'session', id: 'p', version: 3, cwd: folder }],
			4,
		);
		await put(
			'.copilot/session-state/c/events.jsonl',
			[{ id: '1', type: 'session.start', data: { sessionId: 'c', context: { cwd: folder } } }],
			3,
		);
		await put('.local/share/opencode/storage/message/ses_1/msg_1.json', '{}', 1);
		await put(
			'.local/share/opencode/storage/session/p/ses_1.json',
			JSON.stringify({ id: 'ses_1', projectID: 'p', directory: folder, title: 'The title' }),
			2,
		);
		const environment = `<environment_details>\n# Current Working Directory (${folder}) Files\n</environment_details>`;
		await put(
			'.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json',
			JSON.stringify([
				{
					role: 'user',
					content: [
						{ type: 'text', text: '<task>\nMake it work\n</task>' },
						{ type: 'text', text: environment },
					],
					ts: 1,
				},
			]),
			1,
		);
		const found = await discover(folder);
		expect(found.map(({ agent }) => agent)).toEqual([
			'claude-code',
			'codex',
			'gemini-cli',
			'pi',
			'copilot-cli',
			'opencode',
			'cline',
		]);
		expect(found[0]).toMatchObject({ title: 'Fix the tests', updatedAt: 7_000 });
		expect(found[5]).toMatchObject({ title: 'The title' });
		expect(found[6]).toMatchObject({ title: 'Make it work' });
		const owned = listTranscriptFolders({ environment: {}, home, platform: 'linux' });
		for (const { path } of found) expect(owned.some((one) => path.startsWith(join(one, '/')))).toBe(true);
	});

	it('sorts transcripts by their newest record, not by the date of the file', async () => {
		const at = (time: string) => claude(folder).map((record) => ({ ...record, timestamp: time }));
		const project = `.claude/projects/${encoded(folder)}`;
		const running = Date.parse('2026-05-02T10:00:00Z') / 1000;
		await put(`${project}/running.jsonl`, at('2026-05-02T10:00:00Z'), running);
		await put(`${project}/moved.jsonl`, at('2026-01-01T10:00:00Z'), running + 600);
		await put(`${project}/clock-ahead.jsonl`, at('2027-01-01T00:00:00Z'), running - 600);
		const found = await discover(folder);
		expect(found.map(({ path }) => path.split('/').at(-1))).toEqual([
			'running.jsonl',
			'clock-ahead.jsonl',
			'moved.jsonl',
		]);
		expect(found[1]?.lastActivityAt).toBe((running - 600) * 1000);
	});

	it('finds the time of the newest record after large records', async () => {
		const [record] = claude(folder);
		const late = { type: 'system', timestamp: '1970-01-01T00:10:00Z', content: 'y'.repeat(90_000) };
		const lines = [{ ...record, timestamp: '1970-01-01T00:01:00Z' }, late, { type: 'mode', mode: 'plan' }];
		await put(`.claude/projects/${encoded(folder)}/large.jsonl`, lines);
		expect(await discover(folder)).toMatchObject([{ title: 'Fix the tests' }]);
		expect((await discover(folder))[0]?.lastActivityAt).toBeUndefined();
		await put(`.claude/projects/${encoded(folder)}/large.jsonl`, [...lines, { ...late, content: '' }]);
		expect((await discover(folder))[0]?.lastActivityAt).toBe(600_000);
	});

	it('recognizes a compacted copy by its title record', async () => {
		const title = {
			type: 'custom-title',
			customTitle: '[compacted] Fix the tests',
			sessionId: 's',
			contextd: { copyOf: '/home/me/original.jsonl', overheadTokens: 24_000 },
		};
		const summary = { type: 'ai-title', aiTitle: 'Fixing tests', sessionId: 's' };
		await put(`.claude/projects/${encoded(folder)}/copy.jsonl`, [title, ...claude(folder), summary]);
		expect((await discover(folder))[0]).toMatchObject({
			title: '[compacted] Fix the tests',
			copyOf: '/home/me/original.jsonl',
		});
	});

	it('discovery leaves out transcripts of sibling folders, and includes those of folders below', async () => {
		const sibling = `${folder}-2`;
		await put(`.claude/projects/${encoded(sibling)}/one.jsonl`, claude(sibling));
		expect(await agents()).toEqual([]);
		const below = join(folder, 'packages');
		await put(`.claude/projects/${encoded(below)}/two.jsonl`, claude(below));
		expect(await agents()).toEqual(['claude-code']);
	});

	it('discovery searches the folder that a variable names', async () => {
		const own = join(home, 'elsewhere');
		await put(`elsewhere/projects/${encoded(folder)}/one.jsonl`, claude(folder));
		expect(await agents()).toEqual([]);
		discover = createDiscovery(
			{ environment: { CLAUDE_CONFIG_DIR: own }, home, platform: 'linux' },
			silentLogger,
		);
		expect(await agents()).toEqual(['claude-code']);
	});

	it('discovery finds transcripts by the real path of a linked folder', async () => {
		const link = join(home, 'link');
		await symlink(folder, link);
		await put(`.claude/projects/${encoded(folder)}/one.jsonl`, claude(folder));
		expect(await discover(link)).toHaveLength(1);
	});

	it('discovery notices that a file changed', async () => {
		const path = `.claude/projects/${encoded(folder)}/one.jsonl`;
		await put(path, claude(folder, 'First'), 1);
		expect((await discover(folder))[0]?.title).toBe('First');
		await put(path, claude(folder, 'Another'), 2);
		expect((await discover(folder))[0]?.title).toBe('Another');
	});

	it('discovery without a folder returns all transcripts, and none if no agent was ever used', async () => {
		expect(await discover(undefined)).toEqual([]);
		await put('.claude/projects/-a/one.jsonl', claude('/a'));
		await put('.claude/projects/-b/one.jsonl', claude('/b'));
		await put('.claude/projects/-b/empty.jsonl', '');
		await put('.claude/projects/-b/noise.jsonl', 'no json at all\n');
		expect(await discover(undefined)).toHaveLength(2);
	});
});
