/** Finds the holder of a session by its lock, and talks to it over one connection a session. */

import { HolderGone } from '../../core/holderGone.ts';
import type { HandedCall, Holders } from '../../session/holders.ts';
import { storageFailure } from '../journal/failure.ts';
import { lockPath } from '../journal/folder.ts';
import { holderOf } from '../journal/lock.ts';
import { type Asker, type HolderTalk, talkWith, unasked } from './holderTalk.ts';

/** The holders of the sessions of a state folder. */
export function askHolders(stateDirectory: () => string, asker: Asker): Holders {
	const talks = new Map<string, Promise<HolderTalk>>();

	async function find(sessionId: string): Promise<HolderTalk> {
		const path = lockPath(stateDirectory(), sessionId);
		const found = await holderOf(path).catch((error) => {
			throw storageFailure('look at the lock', path, error);
		});
		if (found === undefined) throw new HolderGone('nobody holds the session');
		const { address } = found.note;
		const { pid } = found.holder;
		if (address === undefined) {
			throw unasked({ sessionId, pid }, 'takes no calls from others: it may run an older contextd');
		}
		return talkWith({ sessionId, pid, address }, asker);
	}

	function talkAbout(sessionId: string): Promise<HolderTalk> {
		const known = talks.get(sessionId);
		if (known) return known;
		const talk = find(sessionId);
		talks.set(sessionId, talk);
		talk.catch(() => forget(sessionId, talk));
		return talk;
	}

	function forget(sessionId: string, talk: Promise<HolderTalk>): void {
		if (talks.get(sessionId) === talk) talks.delete(sessionId);
	}

	return {
		async call(sessionId: string, call: HandedCall) {
			for (;;) {
				const promised = talkAbout(sessionId);
				const talk = await promised;
				if (!talk.isOver) return talk.call(call);
				forget(sessionId, promised);
			}
		},
	};
}
