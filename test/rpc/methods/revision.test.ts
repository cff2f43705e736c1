import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contextCompact, contextPrepare, contextUndo } from '../../../server/protocol/compact.ts';
import { contextHistory, contextPin } from '../../../server/protocol/history.ts';
import {
	sessionAppend,
	sessionDelete,
	sessionHoldView,
	sessionMessageIds,
	sessionOpen,
	sessionReportUsage,
	sessionRewind,
} from '../../../server/protocol/session.ts';
import { type App, freshFolder, startingApps } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin, conversation, statsIn } from '../../support/talk.ts';

const apps = startingApps();
const sessionId = 'claude:s';

async function started(messages: unknown[] = conversation(20), home?: string): Promise<App> {
	const app = await apps.start({ ...(home !== undefined && { home }) });
	await begin(app, sessionId, messages);
	return app;
}

async function compacted(app: App) {
	const result = await app.ask(contextCompact, { sessionId, targetTokens: 300 });
	expect(result?.compacted).toBe(true);
	return result;
}

describe('revisions of a history', () => {
	it('the revision stays while the history grows, and changes with every step, undo and pin', async () => {
		const app = await started();
		const seen = [(await statsIn(app, sessionId)).revision];
		const look = async (): Promise<void> => void seen.push((await statsIn(app, sessionId)).revision);
		await app.ask(sessionAppend, { sessionId, messages: [userSays('more')] });
		await look();
		expect(seen[1]).toBe(seen[0]);
		const result = await compacted(app);
		await look();
		expect(result?.revision).toBe(seen.at(-1));
		const [hidden = ''] = result?.removed.map(({ messageId }) => messageId) ?? [];
		await app.ask(contextPin, { sessionId, messageIds: [hidden], pinned: true });
		await look();
		await app.ask(contextUndo, { sessionId });
		await look();
		await app.ask(sessionRewind, { sessionId, messageId: hidden });
		await look();
		expect(new Set(seen.slice(1)).size).toBe(seen.length - 1);
	});

	it('the revision is the same after a restart', async () => {
		const home = freshFolder();
		const app = await started(conversation(20), home);
		await compacted(app);
		const { revision } = await statsIn(app, sessionId);
		await apps.stop();
		const again = await apps.start({ home });
		const opened = await again.ask(sessionOpen, { sessionId });
		expect(opened.revision).toBe(revision);
	});
});

describe('histories that a caller holds', () => {
	it('prepare sends no messages if the caller holds the current revision, and all of them otherwise', async () => {
		const app = await started();
		const { revision } = await statsIn(app, sessionId);
		const same = await app.ask(contextPrepare, { sessionId, held: revision });
		expect(same).toMatchObject({ messages: [], unchanged: true, revision, compaction: null });
		expect(same.stats?.messageCount).toBe(20);
		await compacted(app);
		const other = await app.ask(contextPrepare, { sessionId, held: revision });
		expect(other.unchanged).toBeUndefined();
		const { messages } = await app.ask(contextHistory, { sessionId });
		expect(other.messages).toEqual(messages);
		const third = await app.ask(contextPrepare, { sessionId, held: other.revision });
		expect(third.unchanged).toBe(true);
	});
});

describe('usage of an older revision', () => {
	it('usage of an older revision is ignored, usage of the current one anchors the meter', async () => {
		const app = await started();
		const { revision } = await statsIn(app, sessionId);
		await compacted(app);
		await app.ask(sessionAppend, { sessionId, messages: [assistantSays('done', { id: 'late' })] });
		const usage = { input: 90_000, output: 10 };
		const late = await app.ask(sessionReportUsage, { sessionId, messageId: 'late', usage, revision });
		expect(late.stats?.source).toBe('estimated');
		expect(late.stats?.estimatedInputTokens).toBeLessThan(5_000);
		const now = { sessionId, messageId: 'late', usage, revision: late.stats?.revision };
		expect((await app.ask(sessionReportUsage, now)).stats?.source).toBe('reported');
	});
});

describe('ids of messages', () => {
	it('session/messageIds lists all messages that were not rewound, compacted or not', async () => {
		const app = await started();
		const { messageIds } = await app.ask(sessionMessageIds, { sessionId });
		expect(messageIds).toHaveLength(20);
		await compacted(app);
		expect((await app.ask(sessionMessageIds, { sessionId })).messageIds).toEqual(messageIds);
		await app.ask(sessionRewind, { sessionId, messageId: messageIds[9] ?? '' });
		expect((await app.ask(sessionMessageIds, { sessionId })).messageIds).toEqual(messageIds.slice(0, 10));
	});
});

describe("undo in a plugin's session", () => {
	it('undo is refused if the history would exceed the window, and changes nothing', async () => {
		const app = await started([
			...conversation(2),
			{ id: 'big', role: 'assistant', content: 'lorem ipsum '.repeat(400), tokens: 150_000 },
			{ id: 'too', role: 'assistant', content: 'lorem ipsum '.repeat(400), tokens: 60_000 },
			userSays('go on'),
		]);
		await compacted(app);
		const before = await app.ask(contextHistory, { sessionId });
		const refusal = await app.refusal('context/undo', { sessionId });
		expect(refusal.data?.kind).toBe('ContextBudgetExceeded');
		expect(refusal.message).toMatch(/nothing was changed/);
		// A person reads the message in a terminal.
		expect(refusal.message).not.toMatch(/context\/|session\//);
		expect(await app.ask(contextHistory, { sessionId })).toEqual(before);
	});

	it("undo holds automatic compaction while the history fits the window, whatever the agent's limit", async () => {
		const app = await started([
			...conversation(2),
			{ id: 'big', role: 'assistant', content: 'lorem ipsum '.repeat(400), tokens: 180_000 },
			userSays('go on'),
		]);
		await compacted(app);
		await app.ask(contextUndo, { sessionId });
		expect((await statsIn(app, sessionId)).shouldCompact).toBe(true);
		expect((await app.ask(contextPrepare, { sessionId })).compaction).toBeNull();
		const more = { id: 'more', role: 'assistant', content: 'lorem ipsum '.repeat(400), tokens: 30_000 };
		await app.ask(sessionAppend, { sessionId, messages: [more, userSays('and?')] });
		expect((await app.ask(contextPrepare, { sessionId })).compaction?.compacted).toBe(true);
	});
});

describe('views that a plugin holds', () => {
	it('a held view is stored in a private file with a checksum and its position in the journal', async () => {
		const home = freshFolder();
		const app = await started(conversation(2), home);
		const view = { decisions: ['größer', 'line\u2028end'] };
		const { path = '' } = await app.ask(sessionHoldView, { sessionId, view });
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
		const [head = '', body = '', end] = readFileSync(path, 'utf8').split('\n');
		expect(JSON.parse(body)).toEqual(view);
		expect(end).toBe('');
		const { journal } = await app.ask(sessionOpen, { sessionId });
		expect(JSON.parse(head)).toEqual({
			version: 1,
			sessionId,
			journal,
			bytes: Buffer.byteLength(body),
			checksum: createHash('sha256').update(body).digest('hex'),
		});
	});

	it('a held view is replaced as a whole, can be released, and is deleted with its session', async () => {
		const home = freshFolder();
		const app = await started(conversation(2), home);
		const hold = (view: unknown) => app.ask(sessionHoldView, { sessionId, view });
		await Promise.all([1, 2, 3, 4].map(hold));
		const { path = '' } = await hold(5);
		expect(readFileSync(path, 'utf8').split('\n')[1]).toBe('5');
		expect(await hold(null)).toEqual({});
		expect(() => statSync(path)).toThrow('ENOENT');
		await hold(6);
		await app.ask(sessionDelete, { sessionId });
		expect(() => statSync(path)).toThrow('ENOENT');
	});

	it('a held view is not stored if sessions are kept only in memory', async () => {
		const app = await started();
		expect(await app.ask(sessionHoldView, { sessionId, view: {} })).toEqual({});
	});

	it('holding a view never writes through a symbolic link in its place', async () => {
		const home = freshFolder();
		const app = await started(conversation(2), home);
		const { path = '' } = await app.ask(sessionHoldView, { sessionId, view: 1 });
		const other = `${home}/other`;
		writeFileSync(other, 'mine');
		rmSync(path);
		symlinkSync(other, path);
		symlinkSync(other, `${path}.new`);
		await app.ask(sessionHoldView, { sessionId, view: 2 });
		expect(readFileSync(other, 'utf8')).toBe('mine');
	});
});
