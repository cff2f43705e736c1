/** Reads properties of the requests that a provider received. */

import { piecesOf } from '../mock/prefixCache.ts';
import type { Exchange } from '../mock/server.ts';
import { mainRequests, type PluginSession } from './session.ts';

/** Returns the pieces of a request that a cache would recognize. */
export const pieces = ({ request }: Exchange): string[] => piecesOf(request);

/** Returns whether a request continues the previous request. */
export function isContinuedBy(before: Exchange, now: Exchange): boolean {
	const all = pieces(now);
	return pieces(before).every((piece, index) => piece === all[index]);
}

/** Returns the tokens of a request without its last message, by the count of the mock's cache. */
export function withoutLast(exchange: Exchange): number {
	const units = pieces(exchange).slice(0, -1);
	return Math.floor(units.reduce((sum, piece) => sum + piece.length, 0) / 4);
}

/** Returns the newest request of the session's main conversation. */
export function newestRequest({ mock }: PluginSession): Exchange {
	const found = mainRequests(mock).at(-1);
	if (found === undefined) throw new Error('nothing was asked yet');
	return found;
}

/** Returns the whole request as text. */
export const textOf = ({ request }: Exchange): string => JSON.stringify(request.body);
