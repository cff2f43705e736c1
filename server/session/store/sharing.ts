/**
 * Sessions that another process holds: what is read comes from their journals, what is written goes to the holder, and
 * where that one is gone, the session is taken over.
 */

import { Failure } from '../../core/failure.ts';
import { HolderGone } from '../../core/holderGone.ts';
import type { Call, HandedCall } from '../holders.ts';
import type { Lane } from '../order.ts';
import type { Session } from '../session.ts';
import type { World } from '../world.ts';
import type { SessionPlace } from './place.ts';

/** What sharing needs of the store. */
export interface Openers {
	/** Opens the session of a place for writing. */
	hold(id: string): Promise<Session>;
	/** Opens it to be read, while another process holds it. */
	share(id: string): Promise<Session>;
	/** Puts another session into a place, and makes it ready; the one before is closed when nobody uses it. */
	replace(place: SessionPlace, session: Session): Promise<Session>;
}

export interface Sharing {
	/** Whether a session cannot be opened for writing because of a process that can be asked to write. */
	isAskable(error: unknown): boolean;
	/** Resolves when what was written so far can be read here; gives the session to read it from. */
	caughtUp(place: SessionPlace, session: Session): Promise<Session>;
	/** Does a write here where the session is held here, else has it done; once, whoever dies meanwhile. */
	carryOut<T>(
		place: SessionPlace,
		session: Session,
		call: Call,
		work: (session: Session) => Promise<T>,
	): Promise<T>;
	/** Removes a journal, or has its holder do so. */
	removeJournal(id: string, call?: Call): Promise<void>;
}

/**
 * Milliseconds for which nobody who holds the session and nobody who answers is waited for; between two looks; for which
 * a write that was not answered is the same when it comes again.
 */
const patience = { whole: 5000, look: 20, again: 60_000 };

/** Writes without an answer that are remembered of a session. */
const mostUnanswered = 100;

function isOutdated(error: unknown): boolean {
	return error instanceof Failure && error.data.isOutdated === true;
}

/** Whether nobody knows what became of a call: its holder lives, and does not answer. */
function isUnanswered(error: unknown): boolean {
	return error instanceof Failure && error.kind === 'SessionLocked';
}

/** Shared sessions of a world. */
export function createSharing(world: World, openers: Openers): Sharing {
	function isAskable(error: unknown): boolean {
		const isLocked = error instanceof Failure && error.kind === 'SessionLocked';
		return isLocked && error.data.isAsked === true && world.holders !== undefined;
	}

	function handOn(id: string, call: HandedCall): Promise<unknown> {
		// Whoever is asked by another process asks nobody: the two would send it to and fro.
		if (world.operation?.()) return Promise.reject(new HolderGone('the session is not held here'));
		if (!world.holders) throw new Failure('SessionLocked', `session "${id}" is held by another process`);
		return world.holders.call(id, call);
	}

	/** The session as it stands once a holder is gone: taken over, or shared with the next one. */
	function regain(place: SessionPlace, before: Session, signal: AbortSignal): Promise<Session> {
		place.regaining ??= lookAround(place, before, signal).finally(() => {
			place.regaining = undefined;
		});
		return place.regaining;
	}

	async function lookAround(place: SessionPlace, before: Session, signal: AbortSignal): Promise<Session> {
		const { session } = place;
		if (session && !session.broken && (session.journal || session !== before)) return session;
		try {
			const held = await openers.hold(place.id);
			place.unheard = undefined;
			return await openers.replace(place, held);
		} catch (error) {
			if (!isAskable(error) || isUnheard(place, error)) throw error;
		}
		if (session?.isShared && !session.broken) {
			await world.wait(patience.look, signal);
			return session;
		}
		return openers.replace(place, await openers.share(place.id));
	}

	/** Whether one and the same holder could not be asked for so long that nobody should wait for it any more. */
	function isUnheard(place: SessionPlace, error: unknown): boolean {
		const holder = error instanceof Failure ? error.data.pid : undefined;
		if (place.unheard?.holder !== holder) place.unheard = { holder, since: world.now() };
		return world.now() - (place.unheard?.since ?? 0) > patience.whole;
	}

	/** A write as it is handed on: under the same operation as one with the same words that ended without an answer. */
	function handedAs({ unanswered }: SessionPlace, call: Call): HandedCall {
		if (unanswered.size === 0) return { ...call, operation: world.newId() };
		const key = wordsOf(call);
		const before = unanswered.get(key);
		unanswered.delete(key);
		const isSame = before !== undefined && world.now() - before.at < patience.again;
		return { ...call, operation: isSame ? before.operation : world.newId() };
	}

	function wordsOf({ method, params }: Call): string {
		return world.digest(JSON.stringify([method, params]));
	}

	function noteUnanswered({ unanswered }: SessionPlace, { operation, ...call }: HandedCall): void {
		unanswered.set(wordsOf(call), { operation, at: world.now() });
		const [oldest] = unanswered.keys();
		if (unanswered.size > mostUnanswered && oldest !== undefined) unanswered.delete(oldest);
	}

	/** The answer of a write whose holder fell silent between the record and its answer; else what it failed with. */
	async function answerOfRecord<T>(
		place: SessionPlace,
		session: Session,
		handed: HandedCall,
		work: (session: Session) => Promise<T>,
		error: unknown,
	): Promise<T> {
		const { operation } = handed;
		await session.reader.catchUp?.();
		if (!session.isShared || !world.asOperation || !session.state.operations.has(operation)) {
			noteUnanswered(place, handed);
			throw error;
		}
		// What its record does not hold is not written here, but by its holder.
		const append = (): never => {
			throw error;
		};
		return world.asOperation(operation, () => work(session), { append });
	}

	async function once<T>(
		place: SessionPlace,
		session: Session,
		call: Call,
		work: (session: Session) => Promise<T>,
	): Promise<T> {
		const earlier = [...place.handedOn];
		let current = session;
		let isRedone = false;
		let handed: HandedCall | undefined;
		const attempt = async (): Promise<T> => {
			if (current.isShared) {
				handed ??= handedAs(place, call);
				const answer = (await handOn(place.id, handed)) as T;
				place.unheard = undefined;
				return answer;
			}
			const held = current;
			if (place.unanswered.size > 0 && !world.operation?.()) handed ??= handedAs(place, call);
			if (!handed || !world.asOperation) return work(held);
			return world.asOperation(handed.operation, () => work(held));
		};
		// Held here by now: what was handed on before may still wait for a holder that is gone.
		const isOvertaking = !current.isShared && earlier.length > 0;
		if (place.redone > 0 || isOvertaking) await inOrder();
		try {
			for (;;) {
				try {
					return await attempt();
				} catch (error) {
					if (handed && isUnanswered(error)) return await answerOfRecord(place, current, handed, work, error);
					const isGone = error instanceof HolderGone && !world.operation?.();
					if (!isGone && !isOutdated(error)) throw error;
				}
				if (!isRedone) place.redone++;
				isRedone = true;
				handed ??= { ...call, operation: world.operation?.()?.id ?? world.newId() };
				await inOrder();
				current = await regain(place, current, call.signal);
			}
		} finally {
			if (isRedone) place.redone--;
		}

		/** Calls of one client are done in the order in which they came, though they fail in any. */
		async function inOrder(): Promise<void> {
			await Promise.allSettled(earlier);
			current = place.session ?? current;
		}
	}

	return {
		isAskable,
		async removeJournal(id, call) {
			if (!call) return world.journals.delete(id);
			const handed = { ...call, operation: world.newId() };
			const end = world.now() + patience.whole;
			for (let isAsked = false; ; isAsked = true) {
				try {
					await world.journals.delete(id);
					return;
				} catch (error) {
					// The holder did so before it could say it.
					if (isAsked && error instanceof Failure && error.kind === 'SessionNotFound') return;
					if (!isAskable(error) || world.now() > end) throw error;
				}
				try {
					await handOn(id, handed);
					return;
				} catch (error) {
					if (!(error instanceof HolderGone) || world.operation?.()) throw error;
					await world.wait(patience.look, call.signal);
				}
			}
		},
		async caughtUp(place, session) {
			await Promise.allSettled(place.handedOn);
			await session.reader.catchUp?.();
			const now = place.session;
			return now && !now.broken ? now : openers.replace(place, await openers.share(place.id));
		},
		carryOut(place, session, call, work) {
			const done = once(place, session, call, work);
			if (call.progress || (!session.isShared && place.redone === 0)) return done;
			place.handedOn.add(done);
			const settled = (): void => void place.handedOn.delete(done);
			done.then(settled, settled);
			return done;
		},
	};
}

/** A lane for work that comes again after its turn: nobody waits behind it. */
export const noLane: Lane = { hold: () => undefined, release: () => undefined };
