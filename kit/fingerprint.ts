/** Ids of messages: chain ids, which identify a message with everything before it, and the daemon's ids made from them. */

import type { Dialect } from './dialects/dialect.ts';

const mixers = [0x85ebca6b, 0xc2b2ae35, 2246822507, 3266489909] as const;

/**
 * Returns 64 bits of a text as 16 hexadecimal digits: two sums over its UTF-16 units, each multiplied by a prime and mixed
 * like MurmurHash3's finalizer. Not cryptographic.
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

/** Returns 16 hexadecimal digits for a value's JSON; the order of keys matters. */
export function fingerprint(value: unknown): string {
	return digest(JSON.stringify(value) ?? '');
}

/**
 * Returns one id per message, made from the id of the message before it and its own essence. Two lists with an equal id at an
 * index have equal beginnings up to that index.
 */
export function chainIds<HostMessage>(dialect: Dialect<HostMessage>, raw: readonly HostMessage[]): string[] {
	return createChain(dialect)(raw);
}

/** Returns a cached `chainIds` for one conversation, which digests only messages that differ from the previous list. */
export function createChain<HostMessage>(
	dialect: Dialect<HostMessage>,
): (raw: readonly HostMessage[]) => string[] {
	let texts: string[] = [];
	let ids: string[] = [];
	return (raw) => {
		const now = raw.map((message) => JSON.stringify(dialect.essence(message)) ?? '');
		const common = commonBeginningLength(texts, now);
		const chain = ids.slice(0, common);
		for (const text of now.slice(common)) chain.push(digest((chain.at(-1) ?? '') + digest(text)));
		[texts, ids] = [now, chain];
		return chain;
	};
}

/** A host's messages with their chain ids. */
export interface IdentifiedList<HostMessage> {
	raw: readonly HostMessage[];
	ids: readonly string[];
}

/** Returns the length of the common beginning of two lists. */
export function commonBeginningLength(left: readonly string[], right: readonly string[]): number {
	const most = Math.min(left.length, right.length);
	for (let index = 0; index < most; index++) if (left[index] !== right[index]) return index;
	return most;
}

/** Which message of the host a message of the daemon belongs to. */
export interface MessageLocation {
	/** The chain id of the host's message. */
	chainId: string;
	/** Index among the neutral messages of that message. */
	part: number;
}

const form = /^([0-9a-f]{16})(?:~\d+)?(?:\.(\d+))?$/;

/** Returns the id of a host's message in an epoch. A rewound message keeps the id of the epoch in which it was sent. */
export function epochMessageId(chainId: string, epoch: number): string {
	return epoch === 0 ? chainId : `${chainId}~${epoch}`;
}

/** Returns the id of one of the neutral messages of a host's message. */
export function messageId(base: string, part: number): string {
	return part === 0 ? base : `${base}.${part}`;
}

/** Returns the chain id within the id of a host's message. */
export function chainIdOf(base: string): string {
	return base.split('~', 1)[0] ?? base;
}

/** Returns the place of a message of the daemon; undefined if the daemon wrote it itself. */
export function messageLocationOf(id: string): MessageLocation | undefined {
	const found = form.exec(id);
	if (!found?.[1]) return undefined;
	return { chainId: found[1], part: Number(found[2] ?? 0) };
}
