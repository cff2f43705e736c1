/** Calls that the thread tells in short: what their heads name beyond that is told in the same place. */

import { quote } from '../ledger/quote.ts';
import { argumentsOf, headOf, type Source } from '../ledger/source.ts';
import { callLine, wholeCallLine } from '../thread/calls.ts';
import { cleanText } from '../thread/clean.ts';
import type { Entry } from './entries.ts';
import type { Room } from './room.ts';

/** A call in the thread, with where it stands. */
export interface ToldCall {
	/** Is told anew where the call is told whole. */
	entry: Entry;
	/** As the thread tells it. */
	short: string;
	/** With all its short arguments. */
	whole: string;
	/** As the ledger reads it, from which lines are quoted. */
	read: string;
}

/** The calls of a message that the thread tells; `entries` are what it tells of that message. */
export function toldCallsOf({ calls }: Source, entries: readonly Entry[] = []): ToldCall[] {
	return calls.flatMap((call): ToldCall[] => {
		const short = callLine(call);
		const entry = entries.find(({ text }) => text === short || text.startsWith(`${short} →`));
		if (!entry) return [];
		const whole = quote(wholeCallLine(call)).trim();
		return [{ entry, short, whole, read: cleanText(headOf(call.name, argumentsOf(call).short)) }];
	});
}

/** Has the thread tell a call whole, as far as the room goes, from which it takes what that costs more: whether it fitted. */
export function tellWhole(told: ToldCall, room: Room): boolean {
	const { entry, short, whole } = told;
	if (whole === short) return true;
	const text = whole + entry.text.slice(short.length);
	const tokens = room.count(text) - room.count(entry.text);
	if (tokens > room.left) return false;
	room.left -= tokens;
	entry.text = text;
	told.short = whole;
	return true;
}
