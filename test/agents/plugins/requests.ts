/** What is read off the requests that a provider was sent. */

import { piecesOf } from '../mock/prefixCache.ts';
import type { Exchange } from '../mock/server.ts';
import { mainRequests, type PluginSession } from './session.ts';

/** The pieces of a request that a cache would know it by. */
export const pieces = ({ request }: Exchange): string[] => piecesOf(request);

/** Whether a request goes on where the one before it ended. */
export function goesOn(before: Exchange, now: Exchange): boolean {
	const all = pieces(now);
	return pieces(before).every((piece, index) => piece === all[index]);
}

/** Tokens of a request less its last message, as the mock counts what it has in its cache. */
export function withoutLast(exchange: Exchange): number {
	const units = pieces(exchange).slice(0, -1);
	return Math.floor(units.reduce((sum, piece) => sum + piece.length, 0) / 4);
}

/** The newest request of the session itself. */
export function newestRequest({ mock }: PluginSession): Exchange {
	const found = mainRequests(mock).at(-1);
	if (found === undefined) throw new Error('nothing was asked yet');
	return found;
}

/** All that a request says, as text. */
export const textOf = ({ request }: Exchange): string => JSON.stringify(request.body);
