/** A whole world of sessions in memory: fake clock and ids, the heuristic count, journals that can be reopened. */

import { createHash } from 'node:crypto';
import type { JournalRecord } from '../../server/core/history/record.ts';
import { defaultSettings } from '../../server/core/settings/layers.ts';
import { memoryJournalStore } from '../../server/node/journal/memoryJournal.ts';
import { createMeasures } from '../../server/node/measures.ts';
import type { CompactResult } from '../../server/protocol/compact.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import type { SessionChange } from '../../server/protocol/session.ts';
import type { Settings } from '../../server/protocol/settings.ts';
import { appendMessages } from '../../server/session/append.ts';
import { previewCompaction } from '../../server/session/compaction/preview.ts';
import {
	type CompactOptions,
	compactSession,
	type WorkContext,
} from '../../server/session/compaction/request.ts';
import { renderHistory } from '../../server/session/history.ts';
import type { Session } from '../../server/session/session.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { createSessionStore, type SessionStore } from '../../server/session/store/store.ts';
import type { World } from '../../server/session/world.ts';
import { silentLogger } from './logger.ts';

export interface TestWorld {
	world: World;
	store: SessionStore;
	/** What was told of compactions. */
	compacted: CompactResult[];
	/** Changes the settings from now on. */
	configure(
		change: Partial<Omit<Settings, 'compaction'>> & { compaction?: Partial<Settings['compaction']> },
	): void;
	/** Another store over the same journals, as after a restart. */
	restart(): Promise<SessionStore>;
}

/** A world in memory. `over` replaces parts of it. */
export function testWorld(over: Partial<World> = {}): TestWorld {
	let settings: Settings = { ...defaultSettings, estimator: 'heuristic' };
	let clock = 1_000;
	let ids = 0;
	const compacted: CompactResult[] = [];
	const world: World = {
		journals: memoryJournalStore(() => clock),
		measures: createMeasures('nowhere', silentLogger),
		settings: () => settings,
		now: () => clock++,
		newId: () => `id-${++ids}`,
		digest: (text) => createHash('sha1').update(text).digest('base64url'),
		pause: () => new Promise((done) => setImmediate(done)),
		log: silentLogger,
		clientOffersModel: () => false,
		wait: () => Promise.resolve(),
		events: { changed: () => undefined, compacted: (_, result) => void compacted.push(result) },
		...over,
	};
	const test: TestWorld = {
		world,
		store: createSessionStore(world),
		compacted,
		configure(change) {
			settings = { ...settings, ...change, compaction: { ...settings.compaction, ...change.compaction } };
		},
		async restart() {
			await test.store.closeAll();
			test.store = createSessionStore(world);
			return test.store;
		},
	};
	return test;
}

/** Nobody watches and nobody cancels. */
export const unwatched: WorkContext = { signal: new AbortController().signal, report: () => undefined };

/** Opens session "s" with these messages. */
export async function sessionWith(
	{ store }: TestWorld,
	messages: readonly ChatMessage[],
	change: SessionChange = {},
): Promise<Session> {
	await openSession(store, { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4', ...change });
	return store.run('s', async (session) => {
		await appendMessages(session, messages, 'contextd');
		return session;
	});
}

/** Compacts and expects that there was something to look at. */
export async function compactNow(session: Session, order: CompactOptions = {}): Promise<CompactResult> {
	const result = await compactSession(session, order, unwatched);
	if (!result) throw new Error('the session has no messages');
	return result;
}

/** What a compaction would do, and expects that there was something to look at. */
export async function previewNow(
	session: Session,
	order: CompactOptions = {},
): Promise<CompactResult & { after: ChatMessage[] }> {
	const { result, after } = await previewCompaction(session, order, unwatched);
	if (!result) throw new Error('the session has no messages');
	return { ...result, after: await historyOf(after) };
}

/** The history as it goes to a model, in the neutral format. */
export async function historyOf(session: Session): Promise<ChatMessage[]> {
	return (await renderHistory(session, 'contextd')).messages as ChatMessage[];
}

/** What a journal holds, record by record. */
export async function recordsOf({ world }: TestWorld, sessionId = 's'): Promise<JournalRecord[]> {
	const records: JournalRecord[] = [];
	await world.journals.scan(sessionId, ({ value }) => void records.push(value as JournalRecord));
	return records;
}
