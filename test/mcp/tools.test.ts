import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { RequestError } from '../../server/client/errors.ts';
import { estimateTokens } from '../../server/core/measure/text/textCounter.ts';
import { createContextServer } from '../../server/mcp/contextServer.ts';
import { type DaemonLink, SharedDaemon } from '../../server/mcp/sharedDaemon.ts';
import { claudeSession } from '../e2e/vscode/transcript.ts';
import { freshFolder, startingApps } from '../support/app.ts';
import { Refused } from '../support/client.ts';
import { begin, conversation } from '../support/talk.ts';
import { type CodexHome, codexHome, lighthouse } from './codexHome.ts';

const revisions = ['2025-11-25', '2026-07-28'] as const;

const { start } = startingApps();
const clients: Client[] = [];

afterEach(async () => {
	await Promise.all(clients.splice(0).map((client) => client.close()));
});

interface Connected {
	client: Client;
	/** Calls a tool and returns its text; an error begins with `error: `. */
	call(name: string, args?: Record<string, unknown>): Promise<string>;
}

interface Connecting {
	name?: string;
	revision?: (typeof revisions)[number];
	/** The folder in which the client starts the server. */
	folder: string;
	roots?: string[];
	connect(): Promise<DaemonLink>;
}

async function connected({
	name = 'codex-mcp-client',
	revision = '2025-11-25',
	folder,
	roots,
	connect,
}: Connecting): Promise<Connected> {
	const [ours, theirs] = InMemoryTransport.createLinkedPair();
	const daemon = new SharedDaemon(connect);
	serveStdio(() => createContextServer({ daemon, version: '1.2.3', folder }), { transport: ours });
	const client = new Client(
		{ name, version: '1.0.0' },
		{
			capabilities: roots === undefined ? {} : { roots: {} },
			versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
		},
	);
	if (roots !== undefined)
		client.setRequestHandler('roots/list', async () => ({ roots: roots.map((uri) => ({ uri })) }));
	await client.connect(theirs);
	clients.push(client);
	return {
		client,
		async call(tool, args = {}) {
			const { content, isError } = await client.callTool({ name: tool, arguments: args });
			const text = content.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n');
			return isError ? `error: ${text}` : text;
		},
	};
}

/** Starts a daemon in memory. */
async function daemonIn(
	base: string,
): Promise<Pick<Connecting, 'connect'> & Awaited<ReturnType<typeof start>>> {
	const app = await start({ userHome: base, home: freshFolder() });
	const link: DaemonLink = {
		request: (declaration, params) =>
			app.ask(declaration, params).catch((error) => {
				if (!(error instanceof Refused)) throw error;
				throw new RequestError(error.code, error.message, error.data);
			}),
		close: async () => {},
	};
	return { ...app, connect: async () => link };
}

async function inCodex(options: Partial<Connecting> = {}): Promise<Connected & CodexHome> {
	const home = codexHome();
	const { connect } = await daemonIn(home.base);
	return { ...home, ...(await connected({ folder: home.workspace, connect, ...options })) };
}

function idIn(text: string): string {
	return /\[([^\]]+)\] \(/.exec(text)?.[1] ?? '';
}

describe.each(revisions)('contextd mcp, revision %s', (revision) => {
	it('the client connects with this revision and lists four tools', async () => {
		const { client } = await inCodex({ revision });
		expect(client.getNegotiatedProtocolVersion()).toBe(revision);
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual([
			'contextd_recall',
			'contextd_original',
			'contextd_stats',
			'contextd_pin',
		]);
		expect(estimateTokens(JSON.stringify(tools))).toBeLessThan(1200);
	});

	it("finds what the agent's own compaction removed, and reads it in pages", async () => {
		const { call } = await inCodex({ revision });
		const found = await call('contextd_recall', { query: 'lighthouse of Sylt' });
		expect(found).toContain('The lighthouse of Sylt is red.');
		const id = idIn(found);
		const first = await call('contextd_original', { id });
		expect(first.startsWith('The lighthouse of Sylt is red.\nIts keeper')).toBe(true);
		const offset = Number(/offset (\d+)\]$/.exec(first)?.[1]);
		const second = await call('contextd_original', { id, offset });
		expect(second.startsWith('The lighthouse')).toBe(false);
		expect(lighthouse.startsWith(pageOf(first) + pageOf(second))).toBe(true);
		expect(estimateTokens(first)).toBeLessThan(4000);
		expect(await call('contextd_original', { id, offset: 1e9 })).toMatch(
			/^The message has \d+ characters, so nothing/,
		);
	});

	it('shows usage, and pins a message by its words or its id', async () => {
		const { call } = await inCodex({ revision });
		expect(await call('contextd_stats')).toContain('codex compacts at');
		const found = await call('contextd_recall', { query: 'paint it' });
		for (const query of ['paint it', idIn(found)]) {
			const pinned = await call('contextd_pin', { query });
			expect(pinned).toMatch(/^Pinned, and kept word for word from now on/);
			expect(pinned).toContain('A compaction by Codex itself does not know of this pin.');
		}
		expect(await call('contextd_pin', { query: 'windmill' })).toBe(
			'Nothing in this session contains "windmill".',
		);
	});

	it('answers a missing session, a missing message and wrong arguments with an error of the tool', async () => {
		const { call, workspace } = await inCodex({ revision, name: 'gemini-cli-mcp-client' });
		expect(await call('contextd_stats')).toBe(
			`error: No session of gemini-cli was found in ${workspace}. Pass "session" to name one: an id, or the path of a transcript.`,
		);
		expect(await call('contextd_stats', { session: 'nothing' })).toMatch(
			/^error: There is no session "nothing": expected the id of a session, the path of a transcript/,
		);
		expect(await call('contextd_recall', {})).toMatch(/^error: .*query/);
		expect(await call('contextd_recall', { query: 'x'.repeat(1001) })).toMatch(/^error: .*query: Too big/);
		expect(await call('contextd_stats', { session: '/nowhere.jsonl' })).toMatch(/^error: .*\/nowhere\.jsonl/);
	});
});

function pageOf(text: string): string {
	return text.replace(/\n\[\d+ of \d+ characters.*\]$/, '');
}

describe('the session that a call is about', () => {
	it('a tool answers for the newest session of the agent that the name of the client reveals, else for the newest of all', async () => {
		const home = codexHome();
		const { connect } = await daemonIn(home.base);
		claudeSession(home, 'newer').turn('Where is the harbour?', 5000);
		const folder = home.workspace;
		const asCodex = await connected({ connect, folder });
		expect(await asCodex.call('contextd_recall', { query: 'harbour' })).toContain('Nothing in this session');
		const asAny = await connected({ connect, folder, name: 'Zed' });
		expect(await asAny.call('contextd_recall', { query: 'harbour' })).toContain('Where is the harbour?');
	});

	it("a tool searches sessions in the client's roots rather than in the folder of the start", async () => {
		const home = codexHome();
		const { connect } = await daemonIn(home.base);
		const roots = [`file://${home.workspace}`];
		const { call } = await connected({ connect, folder: freshFolder(), roots });
		expect(await call('contextd_stats')).toContain('codex compacts at');
	});

	it('a tool takes a session by its id, or by the path of its transcript', async () => {
		const { connect, ...app } = await daemonIn(freshFolder());
		const { path } = codexHome();
		await begin(app, 'stored', conversation(4));
		const { call } = await connected({ connect, folder: freshFolder() });
		expect(await call('contextd_recall', { session: 'stored', query: 'turn 2' })).toContain('turn 2');
		expect(await call('contextd_recall', { session: path, query: 'lighthouse' })).toContain('Sylt');
	});
});

describe('a search in all recorded sessions', () => {
	it('asks for the folder of the client, and names the session of each match', async () => {
		const folder = freshFolder();
		const asked: unknown[] = [];
		const matches = [
			{
				messageId: 'l6',
				role: 'tool',
				toolName: 'shell',
				excerpt: 'The lighthouse is red.',
				visible: false,
				recordingId: 'ab12',
				label: 'Codex',
				title: 'Paint it',
				at: Date.UTC(2026, 10, 1),
			},
			{ messageId: 'l9', role: 'tool', toolName: 'contextd_recall', excerpt: 'x', visible: false },
		];
		const link = {
			request: async ({ method }: { method: string }, params: unknown) => {
				asked.push([method, params]);
				return { matches, total: 2, searched: 90, pending: 3 };
			},
			close: async () => {},
		} as unknown as DaemonLink;
		const { call } = await connected({ folder, connect: async () => link });
		const text = await call('contextd_recall', { query: 'lighthouse', scope: 'workspace' });
		expect(text.split('\n').slice(1)).toEqual([
			'[l6] recording:ab12 (Codex, "Paint it", 2026-11-01; shell) The lighthouse is red.',
			'3 recorded sessions are not fully indexed yet.',
		]);
		expect(asked).toEqual([
			['context/recall', { query: 'lighthouse', workspace: folder, limit: 16, maxExcerpt: 600 }],
		]);
		matches.splice(0);
		expect(await call('contextd_recall', { query: 'mill', scope: 'workspace' })).toContain(
			'No recorded session of this folder contains "mill".',
		);
	});
});

describe('the daemon of contextd mcp', () => {
	it('the daemon is asked again after it could not be reached, and only when a tool is called', async () => {
		const home = codexHome();
		const { connect } = await daemonIn(home.base);
		let tries = 0;
		const { client, call } = await connected({
			folder: home.workspace,
			connect: async () => {
				tries++;
				if (tries === 1) throw new Error('no daemon can be reached');
				return connect();
			},
		});
		await client.listTools();
		expect(tries).toBe(0);
		expect(await call('contextd_stats')).toBe('error: no daemon can be reached');
		expect(await call('contextd_stats')).toContain('codex compacts at');
		expect(await call('contextd_stats')).toContain('codex compacts at');
		expect(tries).toBe(2);
	});
});
