/** Services for sessions in memory: with a fake clock and fake ids, the heuristic count, and journals that can be reopened. */

import { createHash } from 'node:crypto';
import type { JournalRecord } from '../../server/core/history/record.ts';
import { defaultSettings } from '../../server/core/settings/schema.ts';
import { createMemoryJournals } from '../../server/node/journal/memoryJournal.ts';
import { RankMeasures } from '../../server/node/measures.ts';
import type { CompactResult } from '../../server/protocol/compact.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import type { SessionChange } from '../../server/protocol/session.ts';
import type { Settings } from '../../server/protocol/settings.ts';
import { appendMessages } from '../../server/session/append.ts';
import type { ClientContext } from '../../server/session/clientContext.ts';
import { previewCompaction } from '../../server/session/compaction/preview.ts';
import {
	type CompactOptions,
	compactSession,
	type TaskContext,
} from '../../server/session/compaction/request.ts';
import { renderHistory } from '../../server/session/history.ts';
import type { SessionServices } from '../../server/session/services.ts';
import type { Session } from '../../server/session/session.ts';
import { openSession } from '../../server/session/store/sessions.ts';
import { SessionStore } from '../../server/session/store/store.ts';
import { silentLogger } from './logger.ts';

export interface TestWorld {
	world: SessionServices;
	/** The client for which all calls are made. */
	client: ClientContext;
	store: SessionStore;
	/** The compactions that were reported to the client. */
	compacted: CompactResult[];
	/** Changes the settings. */
	configure(
		change: Partial<Omit<Settings, 'compaction'>> & { compaction?: Partial<Settings['compaction']> },
	): void;
	/** Opens another session store over the same journals, like a restart. */
	restart(): Promise<SessionStore>;
}

/** A client with default settings, for stores without a `TestWorld`. */
export const testClient: ClientContext = {
	id: 'client-0',
	getSettings: () => ({ ...defaultSettings, estimator: 'heuristic' }),
	hasModel: () => false,
	listFolders: () => [],
	log: silentLogger,
};

/** Creates a world in memory with one client. The arguments replace parts of the services and of the client. */
export function testWorld({
	askModel,
	hasModel = () => false,
	listFolders = () => [],
	...over
}: Partial<SessionServices> &
	Partial<Pick<ClientContext, 'askModel' | 'hasModel' | 'listFolders'>> = {}): TestWorld {
	let settings: Settings = { ...defaultSettings, estimator: 'heuristic' };
	let clock = 1_000;
	let ids = 0;
	const compacted: CompactResult[] = [];
	const client: ClientContext = {
		id: 'client-1',
		getSettings: () => settings,
		askModel,
		hasModel,
		listFolders,
		log: over.log ?? silentLogger,
	};
	const world: SessionServices = {
		journals: createMemoryJournals(() => clock),
		measures: new RankMeasures('nowhere', silentLogger),
		getStorageSettings: () => client.getSettings().storage,
		now: () => clock++,
		createId: () => `id-${++ids}`,
		digest: (text) => createHash('sha1').update(text).digest('base64url'),
		pause: () => new Promise((done) => setImmediate(done)),
		log: silentLogger,
		wait: () => Promise.resolve(),
		events: {
			notifyChanged: () => undefined,
			notifyCompacted: (_, result) => void compacted.push(result),
			notifyLeaving: () => undefined,
		},
		...over,
	};
	const test: TestWorld = {
		world,
		client,
		store: new SessionStore(world),
		compacted,
		configure(change) {
			settings = { ...settings, ...change, compaction: { ...settings.compaction, ...change.compaction } };
		},
		async restart() {
			await test.store.closeAll();
			test.store = new SessionStore(world);
			return test.store;
		},
	};
	return test;
}

/** Returns a work context for a session's client, without progress and cancellation. */
export function unwatched({ client }: Pick<Session, 'client'>): TaskContext {
	return { client, signal: new AbortController().signal, report: () => undefined };
}

/** Opens session "s" with these messages. */
export async function sessionWith(
	{ store, client }: TestWorld,
	messages: readonly ChatMessage[],
	change: SessionChange & { workspace?: string; source?: string } = {},
): Promise<Session> {
	await openSession(store, client, {
		sessionId: 's',
		provider: 'anthropic',
		model: 'claude-sonnet-4',
		...change,
	});
	return store.run('s', client, async (session) => {
		await appendMessages(session, messages, 'contextd', { client });
		return session;
	});
}

/** Compacts, and fails if there is no result. */
export async function compactNow(session: Session, order: CompactOptions = {}): Promise<CompactResult> {
	const result = await compactSession(session, order, unwatched(session));
	if (!result) throw new Error('the session has no messages');
	return result;
}

/** Previews a compaction, and fails if there is no result. */
export async function previewNow(
	session: Session,
	order: CompactOptions = {},
): Promise<CompactResult & { after: ChatMessage[] }> {
	const { result, after } = await previewCompaction(session, order, unwatched(session));
	if (!result) throw new Error('the session has no messages');
	return { ...result, after: await historyOf(after) };
}

/** Returns the history that a model gets, in the neutral format. */
export async function historyOf(session: Session): Promise<ChatMessage[]> {
	return (await renderHistory(session, 'contextd')).messages as ChatMessage[];
}

/** Returns the records of a journal. */
export async function recordsOf({ world }: TestWorld, sessionId = 's'): Promise<JournalRecord[]> {
	const records: JournalRecord[] = [];
	await world.journals.scan(sessionId, ({ value }) => void records.push(value as JournalRecord));
	return records;
}
