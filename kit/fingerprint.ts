/** What tells messages apart, and lists of messages by their beginnings; the ids by which the daemon knows them. */

import type { Dialect } from './dialects/dialect.ts';

const mixers = [0x85ebca6b, 0xc2b2ae35, 2246822507, 3266489909] as const;

/**
 * 64 bits of a text, as 16 hexadecimal digits: two sums over its UTF-16 units, each multiplied by a prime and mixed as
 * MurmurHash3 does at its end. It tells texts apart, and keeps no secret.
 */
function digest(text: string): string {
	let left = 0xdeadbeef;
	let right = 0x41c6ce57;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		left = Math.imul(left ^ unit, 2654435761);
		right = Math.imul(right ^ unit, 1597334677);
	}
	const [first, second, third, fourth] = mixers;
	left = Math.imul(left ^ (left >>> 16), third) ^ Math.imul(right ^ (right >>> 13), fourth);
	right = Math.imul(right ^ (right >>> 16), first) ^ Math.imul(left ^ (left >>> 13), second);
	return hex(left) + hex(right);
}

function hex(bits: number): string {
	return (bits >>> 0).toString(16).padStart(8, '0');
}

/** 16 hexadecimal digits that stand for a value as JSON; the order of its keys counts. */
export function fingerprint(value: unknown): string {
	return digest(JSON.stringify(value) ?? '');
}

/**
 * An id a message of a list: that of the message before it and its own essence. Two lists with an equal id at a place
 * have equal beginnings up to that place.
 */
export function chainIds<Native>(dialect: Dialect<Native>, raw: readonly Native[]): string[] {
	return createChain(dialect)(raw);
}

/** Returns `chainIds` for list after list of one conversation: it digests only messages that differ from the list before. */
export function createChain<Native>(dialect: Dialect<Native>): (raw: readonly Native[]) => string[] {
	let texts: string[] = [];
	let ids: string[] = [];
	return (raw) => {
		const now = raw.map((message) => JSON.stringify(dialect.essence(message)) ?? '');
		const common = commonBeginning(texts, now);
		const chain = ids.slice(0, common);
		for (const text of now.slice(common)) chain.push(digest((chain.at(-1) ?? '') + digest(text)));
		[texts, ids] = [now, chain];
		return chain;
	};
}

/** How many ids two lists have in common at their beginning. */
export function commonBeginning(left: readonly string[], right: readonly string[]): number {
	const most = Math.min(left.length, right.length);
	for (let index = 0; index < most; index++) if (left[index] !== right[index]) return index;
	return most;
}

/** Where a message of the daemon's stands among the host's. */
export interface MessagePlace {
	/** The chain id of the host's message. */
	chainId: string;
	/** Which of the neutral messages of that one, from 0. */
	part: number;
}

const form = /^([0-9a-f]{16})(?:~\d+)?(?:\.(\d+))?$/;

/** Returns the id of a host's message in an epoch. A rewound message keeps the id of the epoch in which it was sent. */
export function baseId(chainId: string, epoch: number): string {
	return epoch === 0 ? chainId : `${chainId}~${epoch}`;
}

/** The id of one of the neutral messages of a host's message. */
export function messageId(base: string, part: number): string {
	return part === 0 ? base : `${base}.${part}`;
}

/** The chain id in the id of a host's message. */
export function chainIdOf(base: string): string {
	return base.split('~', 1)[0] ?? base;
}

/** The place of a message of the daemon's; undefined where the daemon made it itself. */
export function placeOf(id: string): MessagePlace | undefined {
	const found = form.exec(id);
	if (!found?.[1]) return undefined;
	return { chainId: found[1], part: Number(found[2] ?? 0) };
}
