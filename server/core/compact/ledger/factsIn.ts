/** The facts of texts that are no messages, such as pieces of a thread. */

import type { Ledger } from './ledger.ts';
import { createMentions } from './mentions.ts';
import { type Scan, scanText } from './scan.ts';
import { createSegments } from './segments.ts';

const none: readonly number[] = [];

/** Finds facts of texts by the numbers that a ledger gave them; one that it never met gets a new number. */
export function createFactFinder(ledger: Ledger): (text: string) => readonly number[] {
	const mentions = { ...createMentions(), callsFrom: Number.POSITIVE_INFINITY };
	const scan: Scan = {
		facts: ledger.facts,
		segments: createSegments(),
		mentions,
		stamps: new Int32Array(ledger.stamps.length),
	};
	return (text) => {
		const from = mentions.facts.length;
		mentions.message++;
		scanText(scan, text, 0, 0, text.length, 'plain');
		const to = mentions.facts.length;
		return from === to ? none : [...mentions.facts.data.subarray(from, to)];
	};
}
