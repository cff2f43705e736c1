import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiscovery } from '../../server/node/transcript/discover/discover.ts';
import { listTranscriptFolders } from '../../server/node/transcript/transcriptFolders.ts';
import { antigravityLines } from '../core/transcript/fixtures/antigravity.ts';
import { cursorLines } from '../core/transcript/fixtures/cursor.ts';
import { grokLines } from '../core/transcript/fixtures/grok.ts';
import { kimiLines } from '../core/transcript/fixtures/kimiCode.ts';
import { droidLines, piLines } from '../core/transcript/fixtures/pi.ts';
import { qwenLines } from '../core/transcript/fixtures/qwenCode.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';

let home: string;
const folder = '/w';

beforeEach(() => {
	home = freshFolder();
});

afterEach(removeFolders);

async function put(path: string, content: unknown[] | object | Buffer): Promise<string> {
	const full = join(home, path);
	await mkdir(dirname(full), { recursive: true });
	const lines = Array.isArray(content) ? content : [content];
	const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
	await writeFile(full, Buffer.isBuffer(content) ? content : text);
	return full;
}

async function found(asked: string | undefined, environment: Record<string, string> = {}) {
	const machine = { environment, home, platform: 'linux' } as const;
	const all = await createDiscovery(machine, silentLogger)(asked);
	const owned = listTranscriptFolders(machine);
	for (const { path } of all) expect(owned.some((one) => path.startsWith(join(one, '/')))).toBe(true);
	return all.map(({ agent, path }) => `${agent} ${path.slice(home.length + 1)}`);
}

const digest = createHash('sha256').update(folder).digest('hex').slice(0, 12);
const wire = 'agents/main/wire.jsonl';

describe('discovery of the transcripts of a folder', () => {
	it.each([
		['kimi-code', `.kimi-code/sessions/wd_w_${digest}/session_1/${wire}`, kimiLines],
		['grok', '.grok/sessions/%2Fw/1/chat_history.jsonl', grokLines],
		['grok', '.grok/sessions/%2Fw%2Finner/1/chat_history.jsonl', grokLines],
		['qwen-code', '.qwen/projects/-w/chats/1.jsonl', qwenLines],
		['cursor', '.cursor/projects/w/agent-transcripts/1/1.jsonl', cursorLines],
		[
			'antigravity',
			'.gemini/antigravity-cli/brain/1/.system_generated/logs/transcript.jsonl',
			antigravityLines,
		],
		['droid', '.factory/sessions/-w/1.jsonl', droidLines],
		['pi', '.openclaw/agents/main/sessions/1.jsonl', piLines],
	])('discovery finds a transcript of %s in %s', async (agent, path, lines) => {
		await put(path, lines);
		expect(await found(folder)).toEqual([`${agent} ${path}`]);
		expect(await found(undefined)).toEqual([`${agent} ${path}`]);
		expect(await found('/other')).toEqual([]);
	});

	it('discovery finds sessions of Kimi Code in folders below by its index', async () => {
		const path = `.kimi-code/sessions/wd_inner_0123456789ab/session_1/${wire}`;
		await put(path, kimiLines);
		expect(await found(folder)).toEqual([]);
		await put('.kimi-code/session_index.jsonl', { sessionId: 'session_1', workDir: '/w/inner' });
		expect(await found(folder)).toEqual([`kimi-code ${path}`]);
	});

	it("discovery finds sessions of Cline's own programs by the file next to them", async () => {
		const path = '.cline/data/sessions/17_a/17_a.messages.json';
		const message = { id: 'm1', role: 'user', content: [{ type: 'text', text: 'Go' }], ts: 1700000000000 };
		await put(path, { version: 1, sessionId: '17_a', messages: [message] });
		await put('.cline/data/sessions/17_a/17_a.json', { version: 1, session_id: '17_a', cwd: folder });
		expect(await found(folder)).toEqual([`cline ${path}`]);
		expect(await found('/other')).toEqual([]);
	});

	it("discovery finds sessions of VS Code's own chat by the workspace file", async () => {
		const path = '.config/Code/User/workspaceStorage/abc/chatSessions/s.json';
		const request = { requestId: 'r', message: { text: 'Go' }, response: [] };
		await put(path, { version: 3, sessionId: 's', creationDate: 1, requests: [request] });
		await put('.config/Code/User/workspaceStorage/abc/workspace.json', { folder: `file://${folder}` });
		expect(await found(folder)).toEqual([`copilot-chat ${path}`]);
		expect(await found('/other')).toEqual([]);
	});

	it('discovery searches folders that the environment names', async () => {
		await put(`k/sessions/wd_w_${digest}/session_1/${wire}`, kimiLines);
		await put('g/sessions/%2Fw/1/chat_history.jsonl', grokLines);
		await put('q/projects/-w/chats/1.jsonl', qwenLines);
		expect(await found(folder)).toEqual([]);
		const environment = {
			KIMI_CODE_HOME: join(home, 'k'),
			GROK_HOME: join(home, 'g'),
			QWEN_HOME: join(home, 'q'),
		};
		expect(await found(folder, environment)).toHaveLength(3);
	});
});

describe('a compressed rollout', () => {
	it('discovery finds a compressed rollout by its content', async () => {
		const path = '.codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-x.jsonl.zst';
		// The bytes are a compressed session_meta record whose cwd is the folder.
		const bytes =
			'KLUv/SBIHQIAQoQOFqClLQaE6DkAhD73k3ZT1fQyM/2h1wrBWiMBEduB70FW90BTJDzbuFkGgCGqqd950m7v9ym4moXsKgEA3qBAAQ==';
		await put(path, Buffer.from(bytes, 'base64'));
		expect(await found(folder)).toEqual([`codex ${path}`]);
		expect(await found('/other')).toEqual([]);
	});
});
