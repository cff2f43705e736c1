/** What the daemon is to be told of a host's list, given what it was told before. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import type { Dialect } from './dialects/dialect.ts';
import { baseId, chainIdOf, commonBeginning, messageId, placeOf } from './fingerprint.ts';

/** What the daemon knows. Plain data. */
export interface FeedState {
	/** How often it was taken back to an earlier message. */
	epoch: number;
	/** The ids of the host's messages that it was told and still shows, oldest first. */
	told: readonly string[];
	/** It may show more than it is known to: it is to be told everything anew. */
	isUnsure?: true;
}

/** What to tell it now. */
export interface Feed {
	/** The message after which everything is to leave, as `session/rewind` takes it; empty: everything; absent: nothing. */
	rewindTo?: string;
	/** In the `contextd` format, with ids. */
	append: ChatMessage[];
	/** What it knows once it has been told. */
	next: FeedState;
}

/** What a daemon knows that was told nothing. */
export const untold: FeedState = { epoch: 0, told: [] };

/** The last message of the daemon's that stands for the beginning of the list; empty where none does. */
function lastToldId<Native>(
	told: readonly string[],
	raw: readonly Native[],
	common: number,
	dialect: Dialect<Native>,
): string {
	for (let index = common - 1; index >= 0; index--) {
		const parts = dialect.neutral(raw[index] as Native).length;
		if (parts > 0) return messageId(told[index] ?? '', parts - 1);
	}
	return '';
}

/**
 * What to tell the daemon so that it has the host's list: to take back what is no longer there, then what is new.
 * Nothing where it has the list already.
 * @param ids the chain ids of `raw`
 */
export function feedFor<Native>(
	feed: FeedState,
	raw: readonly Native[],
	ids: readonly string[],
	dialect: Dialect<Native>,
): Feed {
	const common = commonBeginning(feed.told.map(chainIdOf), ids);
	const isRewound = common < feed.told.length || feed.isUnsure === true;
	const epoch = isRewound ? feed.epoch + 1 : feed.epoch;
	const fresh = ids.slice(common).map((id) => baseId(id, epoch));
	const append = raw.slice(common).flatMap((message, index) =>
		dialect.neutral(message).map(
			(part, no): ChatMessage => ({
				...part,
				id: messageId(fresh[index] ?? '', no),
			}),
		),
	);
	return {
		...(isRewound && { rewindTo: lastToldId(feed.told, raw, common, dialect) }),
		append,
		next: { epoch, told: [...feed.told.slice(0, common), ...fresh] },
	};
}

/**
 * Returns what a daemon knows whose session lists these ids. If that is not what it was known to know, a new epoch begins:
 * ids that a session has had, also of messages that were rewound since, are not used again.
 * @param minEpoch greater than all epochs of earlier processes, such as the time in milliseconds
 */
export function resumedFeed(feed: FeedState, listed: readonly string[], minEpoch: number): FeedState {
	const own = listed.filter((id) => placeOf(id)?.part === 0);
	let matched = 0;
	let end = 0;
	for (const [index, id] of feed.told.entries()) {
		// A message of the host may have no message in the session.
		if (id !== own[matched]) continue;
		matched++;
		end = index + 1;
	}
	if (matched === own.length && end === feed.told.length && end > 0) return feed;
	const told = [...feed.told.slice(0, end), ...own.slice(matched)];
	const isUnsure = told.length === 0 && listed.length > 0;
	return {
		epoch: Math.max(feed.epoch + 1, minEpoch),
		told,
		...(isUnsure && { isUnsure: true as const }),
	};
}

/**
 * The id by which the daemon knows the result of a call; the id itself where it is no call's.
 * @param told as in a `FeedState` for `raw`
 */
export function toldIdOf<Native>(
	id: string,
	told: readonly string[],
	raw: readonly Native[],
	dialect: Dialect<Native>,
): string {
	for (const [index, base] of told.entries()) {
		const native = raw[index];
		if (native === undefined) break;
		const part = dialect.neutral(native).findIndex(({ toolCallId }) => toolCallId === id);
		if (part >= 0) return messageId(base, part);
	}
	return id;
}
