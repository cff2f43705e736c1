/** Which messages of a host's list the daemon lacks, given what it was sent before. */

import type { ChatMessage } from '../server/protocol/conversation.ts';
import type { Dialect } from './dialects/dialect.ts';
import {
	chainIdOf,
	commonBeginningLength,
	epochMessageId,
	messageId,
	messageLocationOf,
} from './fingerprint.ts';

/** What the daemon was sent. Plain data, stored as JSON. */
export interface SyncState {
	/** How often the daemon's list was rewound. */
	epoch: number;
	/** The ids of the host's messages that the daemon has, oldest first. */
	told: readonly string[];
	/** The daemon may have more messages than `told`: everything must be sent again. */
	isUnsure?: true;
}

/** What to send to the daemon now. */
export interface Delta {
	/** Remove everything after this message (`session/rewind`); empty: everything; absent: nothing. */
	rewindTo?: string;
	/** New messages in the `contextd` format, with ids. */
	append: ChatMessage[];
	/** The state afterwards. */
	next: SyncState;
}

/** The state of a daemon that was sent nothing. */
export const nothingSynced: SyncState = { epoch: 0, told: [] };

/** Returns the daemon's id of the last message of the common beginning; empty if there is none. */
function lastSyncedId<HostMessage>(
	told: readonly string[],
	raw: readonly HostMessage[],
	common: number,
	dialect: Dialect<HostMessage>,
): string {
	for (let index = common - 1; index >= 0; index--) {
		const parts = dialect.neutral(raw[index] as HostMessage).length;
		if (parts > 0) return messageId(told[index] ?? '', parts - 1);
	}
	return '';
}

/**
 * Returns what to send so that the daemon has the host's list: a rewind if messages have gone, then the new messages. Both are
 * absent or empty if it already has the list.
 * @param ids the chain ids of `raw`
 */
export function deltaFor<HostMessage>(
	feed: SyncState,
	raw: readonly HostMessage[],
	ids: readonly string[],
	dialect: Dialect<HostMessage>,
): Delta {
	const common = commonBeginningLength(feed.told.map(chainIdOf), ids);
	const isRewound = common < feed.told.length || feed.isUnsure === true;
	const epoch = isRewound ? feed.epoch + 1 : feed.epoch;
	const fresh = ids.slice(common).map((id) => epochMessageId(id, epoch));
	const append = raw.slice(common).flatMap((message, index) =>
		dialect.neutral(message).map(
			(part, no): ChatMessage => ({
				...part,
				id: messageId(fresh[index] ?? '', no),
			}),
		),
	);
	return {
		...(isRewound && { rewindTo: lastSyncedId(feed.told, raw, common, dialect) }),
		append,
		next: { epoch, told: [...feed.told.slice(0, common), ...fresh] },
	};
}

/**
 * Returns the state of a daemon whose session lists these ids. If that is not the known state, a new epoch begins: ids that a
 * session has had, also of messages that were rewound since, are not used again.
 * @param minEpoch greater than all epochs of earlier processes, such as the time in milliseconds
 */
export function resumedState(known: SyncState, listed: readonly string[], minEpoch: number): SyncState {
	const own = listed.filter((id) => messageLocationOf(id)?.part === 0);
	let matched = 0;
	let end = 0;
	for (const [index, id] of known.told.entries()) {
		// A message of the host may have no message in the session.
		if (id !== own[matched]) continue;
		matched++;
		end = index + 1;
	}
	if (matched === own.length && end === known.told.length && end > 0) return known;
	const told = [...known.told.slice(0, end), ...own.slice(matched)];
	const isUnsure = told.length === 0 && listed.length > 0;
	return {
		epoch: Math.max(known.epoch + 1, minEpoch),
		told,
		...(isUnsure && { isUnsure: true as const }),
	};
}

/**
 * Returns the daemon's id of the result of a call; the id itself if no call has it.
 * @param told as in the `SyncState` of `raw`
 */
export function daemonIdOf<HostMessage>(
	id: string,
	told: readonly string[],
	raw: readonly HostMessage[],
	dialect: Dialect<HostMessage>,
): string {
	for (const [index, base] of told.entries()) {
		const message = raw[index];
		if (message === undefined) break;
		const part = dialect.neutral(message).findIndex(({ toolCallId }) => toolCallId === id);
		if (part >= 0) return messageId(base, part);
	}
	return id;
}
