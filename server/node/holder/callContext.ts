/** Whose work is being done: that of this process, or a write that another one handed over. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Settings } from '../../protocol/settings.ts';
import type { Operation } from '../../session/holders.ts';
import type { AskModel } from '../../session/ports.ts';
import type { World } from '../../session/world.ts';

/** What goes by whoever asked. */
export interface CallContext {
	/** Absent where the work goes on by its settings, but for nobody who waits. */
	operation?: Operation;
	settings?: Settings;
	offersModel?: boolean;
	askModel?: AskModel;
}

interface Running extends CallContext {
	/** Ids that were given so far. */
	ids: number;
	isDone: boolean;
}

/** The parts of a world that differ with whose work is being done. */
type OwnParts = Required<
	Pick<
		World,
		'settings' | 'newId' | 'clientOffersModel' | 'askModel' | 'events' | 'operation' | 'asOperation'
	>
>;

export interface CallContexts {
	/** The parts of a world, so that what is done for another process goes by that one. */
	over(own: Omit<OwnParts, 'operation' | 'asOperation'>): OwnParts;
	/** Does work for another process. */
	run<T>(context: CallContext, work: () => Promise<T>): Promise<T>;
}

/** The nth id of a write: the first is the one that whoever asked has named, the others follow from it. */
function idOf(operation: string, index: number): string {
	if (index === 0) return operation;
	const hex = createHash('sha256').update(`${operation}\n${index}`).digest('hex');
	const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
	return parts.join('-');
}

/** Contexts that follow the work through all that it waits for. */
export function createCallContexts(): CallContexts {
	const storage = new AsyncLocalStorage<Running>();

	async function run<T>(context: CallContext, work: () => Promise<T>): Promise<T> {
		const running: Running = { ...context, ids: 0, isDone: false };
		try {
			return await storage.run(running, work);
		} finally {
			// What goes on behind the answer, as a summary ahead of need, is part of no write.
			running.isDone = true;
		}
	}

	function current(): Operation | undefined {
		const running = storage.getStore();
		return running?.isDone ? undefined : running?.operation;
	}

	return {
		run,
		over: (own) => ({
			settings() {
				const mine = own.settings();
				const { settings } = storage.getStore() ?? {};
				// How tokens are counted and where sessions are kept is the holder's: one session is counted in one way.
				return settings ? { ...settings, estimator: mine.estimator, storage: mine.storage } : mine;
			},
			newId() {
				const running = storage.getStore();
				const operation = current();
				return running && operation ? idOf(operation.id, running.ids++) : own.newId();
			},
			clientOffersModel: () => storage.getStore()?.offersModel ?? own.clientOffersModel(),
			askModel: (...question) => (storage.getStore()?.askModel ?? own.askModel)(...question),
			events: {
				// This process's own client is told by its own settings.
				changed: (sessionId) => storage.exit(() => own.events.changed(sessionId)),
				compacted: (sessionId, result) => storage.exit(() => own.events.compacted(sessionId, result)),
			},
			operation: current,
			asOperation(id, work, records) {
				const operation = { id, written: new Map(), confirm: () => undefined, records };
				return run({ ...storage.getStore(), operation }, work);
			},
		}),
	};
}
