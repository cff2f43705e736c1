import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../server/core/failure.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import type { DidChangeFileParams, FileChange } from '../../server/protocol/push.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { FileReader, FileWatcher } from '../../server/session/files/reader.ts';
import { recordAgentRead } from '../../server/session/files/readFile.ts';
import { FileTracker } from '../../server/session/files/tracker.ts';
import type { FileService } from '../../server/session/files/visibleRead.ts';
import type { Session } from '../../server/session/session.ts';
import { rewindSession, undoStep } from '../../server/session/steps.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { silentLogger } from '../support/logger.ts';
import { call, result, user } from '../support/messages.ts';
import { type TestWorld, testWorld } from '../support/world.ts';

/** A workspace `/ws` in memory: paths with their contents and dates, links, watches. */
interface Disk {
	files: Map<string, { content: string; modifiedAt: number }>;
	links: Map<string, string>;
	folders: string[];
	/** How often each path is watched. */
	watches: Map<string, number>;
	looks: string[];
	news: DidChangeFileParams[];
	tracker: FileTracker;
	test: TestWorld;
	write(path: string, content: string): Promise<void>;
	remove(path: string): Promise<void>;
}

const fileService = ({ tracker, links }: Disk): FileService => ({
	tracker,
	listFolders: () => ['/ws'],
	reader: {
		read: () => Promise.reject(new Error('nobody reads here')),
		locate: async (path) => {
			const real = links.get(path) ?? path;
			if (real.startsWith('/ws/')) return real;
			throw new Failure('OutsideWorkspace', `${path} does not lie in the workspace.`);
		},
		readChangeTime: async () => undefined,
		readFacts: async () => undefined,
	},
});

const disks: Disk[] = [];
afterEach(() => Promise.all(disks.splice(0).map((disk) => disk.tracker.close())));

function disk(): Disk {
	const files: Disk['files'] = new Map();
	const links: Disk['links'] = new Map();
	const watches: Disk['watches'] = new Map();
	const listeners: ((path: string, change: FileChange) => void)[] = [];
	const own = { files, links, watches, folders: ['/ws'], looks: [], news: [] } as unknown as Disk;
	const count = (path: string, by: number) => {
		const sum = (watches.get(path) ?? 0) + by;
		if (sum === 0) watches.delete(path);
		else watches.set(path, sum);
	};
	const watcher: FileWatcher = {
		watch: async (path) => count(path, 1),
		unwatch: (path) => count(path, -1),
		check: (path) => void own.looks.push(path),
		onChange: (listener) => void listeners.push(listener),
		close: async () => {},
	};
	const reader: FileReader = {
		read: () => Promise.reject(new Error('nobody reads here')),
		async locate(path, folders) {
			const real = links.get(path) ?? path;
			if (folders.some((folder) => real.startsWith(`${folder}/`))) return real;
			throw new Failure('OutsideWorkspace', `${path} does not lie in the workspace.`);
		},
		readChangeTime: async (path) => files.get(path)?.modifiedAt,
		async readFacts(path) {
			const file = files.get(path);
			return file && { contentHash: file.content, modifiedAt: file.modifiedAt };
		},
	};
	const settle = () => new Promise<void>((done) => setTimeout(done, 5));
	const tell = async (path: string, change: FileChange) => {
		if (watches.has(path)) for (const listener of listeners) listener(path, change);
		await settle();
	};
	own.tracker = new FileTracker({
		watcher,
		reader,
		listFolders: () => own.folders,
		now: () => own.test.world.now(),
		log: silentLogger,
		onFileChange: (news) => void own.news.push(news),
		onStaleReadsChange: () => undefined,
	});
	own.test = testWorld({ files: own.tracker });
	own.write = async (path, content) => {
		await settle();
		const isNew = !files.has(path);
		files.set(path, { content, modifiedAt: own.test.world.now() + 100 });
		await tell(path, isNew ? 'created' : 'changed');
	};
	own.remove = async (path) => {
		files.delete(path);
		await tell(path, 'deleted');
	};
	disks.push(own);
	return own;
}

async function open({ test }: Disk, sessionId = 's', messages: ChatMessage[] = []): Promise<Session> {
	await openSession(test.store, test.client, { sessionId, workspace: 'file:///ws' });
	return test.store.run(sessionId, test.client, async (session) => {
		await appendMessages(session, [user('u', 'Go.'), ...messages], 'contextd', { client: session.client });
		return session;
	});
}

const reads = (id: string, path: string, content = 'a\n'): ChatMessage[] => [
	call(`call-${id}`, [id], 'read_file', { path }),
	result(`r${id}`, id, content),
];

const ids = (own: Disk, session: Session) =>
	own.tracker.listStaleReads(session).map(({ messageId }) => messageId);

describe('watching the files of a session', () => {
	it('each file in the workspace is watched once, whatever it is called, and no file outside', async () => {
		const own = disk();
		own.links.set('/ws/link.ts', '/ws/a.ts');
		own.links.set('/ws/out.ts', '/etc/passwd');
		const names = ['a.ts', '/ws/a.ts', './x/../a.ts', 'link.ts', 'out.ts', '/etc/hosts', '../b.ts', '~/c.ts'];
		await open(
			own,
			's',
			names.flatMap((name, index) => reads(`${index}`, name)),
		);
		await own.write('/ws/a.ts', 'b');
		expect([...own.watches]).toEqual([['/ws/a.ts', 1]]);
	});

	it('files are watched while a session with reads of them is open, and again after it is reopened', async () => {
		const own = disk();
		await open(own, 's', reads('1', 'a.ts'));
		await open(own, 't', [...reads('1', 'a.ts'), ...reads('2', 'b.ts')]);
		await own.write('/ws/a.ts', 'a');
		expect([...own.watches]).toEqual([
			['/ws/a.ts', 2],
			['/ws/b.ts', 1],
		]);
		await own.test.store.close('t', own.test.client);
		expect([...own.watches]).toEqual([['/ws/a.ts', 1]]);
		await own.test.store.delete('s');
		expect([...own.watches]).toEqual([]);
		await own.test.store.run('t', own.test.client, () => undefined);
		await own.write('/ws/a.ts', 'b');
		expect([...own.watches.keys()].sort()).toEqual(['/ws/a.ts', '/ws/b.ts']);
	});

	it('files are watched from when their folder is opened until it is closed', async () => {
		const own = disk();
		own.folders = ['/other'];
		const session = await open(own, 's', reads('1', 'a.ts'));
		await own.write('/ws/a.ts', 'a');
		expect([...own.watches]).toEqual([]);
		own.folders = ['/other', '/ws'];
		own.tracker.relocateFiles();
		await own.write('/ws/a.ts', 'b');
		expect(ids(own, session)).toEqual(['r1']);
		own.folders = ['/other'];
		own.tracker.relocateFiles();
		await own.write('/ws/b.ts', 'b');
		expect([...own.watches]).toEqual([]);
	});

	it('files are checked when the client reports a change of them or of a folder above them', async () => {
		const own = disk();
		own.links.set('/ws/link.ts', '/ws/deep/er/b.ts');
		await open(own, 's', [...reads('1', 'deep/a.ts'), ...reads('2', 'link.ts')]);
		await own.write('/ws/x', '');
		own.tracker.checkHintedFiles(['/ws/deep']);
		own.tracker.checkHintedFiles(['/ws/link.ts', '/ws/deep/a']);
		expect(own.looks).toEqual(['/ws/deep/a.ts', '/ws/deep/er/b.ts', '/ws/deep/er/b.ts']);
	});
});

describe('changes of files', () => {
	it('a change is reported with the sessions whose agent did not make it', async () => {
		const own = disk();
		await own.write('/ws/a.ts', 'a');
		const edit = call('e', ['9'], 'write_file', { path: 'a.ts', content: 'b' });
		const s = await open(own, 's', [...reads('1', 'a.ts'), edit]);
		const t = await open(own, 't', reads('1', 'a.ts'));
		await own.write('/ws/a.ts', 'b');
		expect(own.news).toEqual([{ uri: 'file:///ws/a.ts', change: 'changed', sessionIds: ['t'] }]);
		expect(ids(own, s)).toEqual([]);
		expect(ids(own, t)).toEqual(['r1']);
		await own.remove('/ws/a.ts');
		expect(own.news.at(-1)).toMatchObject({ change: 'deleted', sessionIds: ['t'] });
		await own.test.store.run('s', own.test.client, (session) =>
			appendMessages(session, [result('er', '9', 'ok')], 'contextd', { client: session.client }),
		);
		await own.write('/ws/a.ts', 'c');
		expect(own.news.at(-1)).toMatchObject({ change: 'created', sessionIds: ['s', 't'] });
		expect(ids(own, s)).toEqual(['r1']);
	});

	it('a change makes no failed or removed read stale', async () => {
		const own = disk();
		await own.write('/ws/a.ts', 'a');
		const failed = [
			call('c0', ['0'], 'read_file', { path: 'a.ts' }),
			result('r0', '0', 'no', { isError: true }),
		];
		const session = await open(own, 's', [
			...failed,
			...reads('1', 'a.ts'),
			user('u2', 'Go.'),
			...reads('2', 'a.ts'),
		]);
		await own.write('/ws/a.ts', 'b');
		expect(ids(own, session)).toEqual(['r1', 'r2']);
		await rewindSession(session, 'u2');
		expect(ids(own, session)).toEqual(['r1']);
		await undoStep(session, session.client);
		expect(ids(own, session)).toEqual(['r1', 'r2']);
	});

	it('a stale read is not refreshed by a later read of other lines', async () => {
		const own = disk();
		await own.write('/ws/a.ts', 'a');
		const session = await open(own, 's', reads('1', 'a.ts'));
		await own.write('/ws/a.ts', 'b');
		const part = [
			call('c2', ['2'], 'read_file', { path: 'a.ts', start_line: 3, end_line: 5 }),
			result('r2', '2', 'x'),
		];
		for (let wait = 0; wait < 200; wait++) own.test.world.now();
		await appendMessages(session, part, 'contextd', { client: session.client });
		expect(ids(own, session)).toEqual(['r1']);
		await appendMessages(session, reads('3', 'a.ts'), 'contextd', { client: session.client });
		expect(ids(own, session)).toEqual([]);
	});
});

describe('announced reads', () => {
	it('an announced read belongs to the message that it names, to one just before it, or to the next one', async () => {
		const own = disk();
		for (const name of ['a', 'b', 'c']) await own.write(`/ws/${name}`, name);
		const session = await open(own, 's', [user('named', 'a'), ...reads('1', 'b')]);
		const announce = (uri: string, messageId?: string) =>
			recordAgentRead(fileService(own), session, { uri, messageId, contentHash: uri.at(-1) });
		await announce('file:///ws/a', 'named');
		await announce('/ws/b');
		await announce('c');
		await appendMessages(session, [user('next', 'c')], 'contextd', { client: session.client });
		expect(ids(own, session)).toEqual([]);
		for (const name of ['a', 'b', 'c']) await own.write(`/ws/${name}`, 'other');
		expect(own.tracker.listStaleReads(session)).toEqual([
			{ uri: 'file:///ws/a', messageId: 'named' },
			{ uri: 'file:///ws/b', messageId: 'r1' },
			{ uri: 'file:///ws/c', messageId: 'next' },
		]);
	});

	it('an announced read outside the workspace is refused', async () => {
		const own = disk();
		const session = await open(own);
		own.links.set('/ws/out', '/etc/passwd');
		await expect(recordAgentRead(fileService(own), session, { uri: 'out' })).rejects.toMatchObject({
			kind: 'OutsideWorkspace',
		});
		expect(session.state.announcedReads).toEqual([]);
	});
});

it('stale reads name files as URIs, whatever characters they have', async () => {
	const own = disk();
	await own.write('/ws/a b#ü%.ts', 'a');
	const session = await open(own, 's', reads('1', 'a b#ü%.ts'));
	await own.write('/ws/a b#ü%.ts', 'b');
	expect(own.tracker.listStaleReads(session)[0]?.uri).toBe('file:///ws/a%20b%23%C3%BC%25.ts');
});

it('a change between a read and the beginning of the watch makes the read stale', async () => {
	const own = disk();
	own.files.set('/ws/a.ts', { content: 'a', modifiedAt: 0 });
	const session = await open(own, 's', [user('shows', 'a')]);
	own.files.set('/ws/a.ts', { content: 'b', modifiedAt: 1 });
	await recordAgentRead(fileService(own), session, { uri: '/ws/a.ts', messageId: 'shows', contentHash: 'a' });
	await own.write('/ws/other', '');
	expect(ids(own, session)).toEqual(['shows']);
});
