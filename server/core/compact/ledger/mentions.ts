import { type Column, column, push } from '../columns.ts';

/** Which facts each message mentions, each once for the message's own words and once for its calls. */
export interface Mentions {
	facts: Column;
	/** Per fact: the turn that mentioned it last; twice the message's number, plus one for calls. */
	stamps: Int32Array;
	/** The message that is being read, counted from 1. */
	message: number;
	/** Where calls begin in the text that is being read (UTF-16 units). */
	callsFrom: number;
	/** Mentions in the message's own words so far. */
	own: number;
}

/** No mentions yet. */
export function createMentions(): Mentions {
	return { facts: column(), stamps: new Int32Array(4096), message: 0, callsFrom: 0, own: 0 };
}

/** Notes a fact at `start` of the text that is being read. */
export function mention(mentions: Mentions, fact: number, start: number): void {
	if (fact >= mentions.stamps.length) {
		const wider = new Int32Array(Math.max(fact + 1, mentions.stamps.length * 2));
		wider.set(mentions.stamps);
		mentions.stamps = wider;
	}
	const isCall = start >= mentions.callsFrom;
	const stamp = 2 * mentions.message + (isCall ? 1 : 0);
	if (mentions.stamps[fact] === stamp) return;
	mentions.stamps[fact] = stamp;
	push(mentions.facts, fact);
	if (!isCall) mentions.own++;
}
