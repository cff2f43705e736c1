/** Ids of messages. A chain id identifies a message and all messages before it; the daemon's ids are made from chain ids. */

import type { Dialect } from './dialects/dialect.ts';

/** The multipliers of MurmurHash3's finalizer. */
const mixFactors = { first: 0x85ebca6b, second: 0xc2b2ae35 } as const;

/**
 * Returns 64 bits of a text as 16 hexadecimal digits: two sums over its UTF-16 units, each multiplied by a prime and mixed
 * like MurmurHash3's finalizer. Not cryptographic.
 */
function computeDigest(text: string): string {
	let left = 0xdeadbeef;
	let right = 0x41c6ce57;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		left = Math.imul(left ^ unit, 2654435761);
		right = Math.imul(right ^ unit, 1597334677);
	}
	const { first, second } = mixFactors;
	left = Math.imul(left ^ (left >>> 16), first) ^ Math.imul(right ^ (right >>> 13), second);
	right = Math.imul(right ^ (right >>> 16), first) ^ Math.imul(left ^ (left >>> 13), second);
	return formatHex(left) + formatHex(right);
}

function formatHex(bits: number): string {
	return (bits >>> 0).toString(16).padStart(8, '0');
}

/** Returns 16 hexadecimal digits for a value's JSON; the order of keys matters. */
export function fingerprint(value: unknown): string {
	return computeDigest(JSON.stringify(value) ?? '');
}

/**
 * Returns one id per message, made from the previous id and from what identifies the message. If two lists have the same id at
 * an index, they are equal up to that index.
 */
export function computeChainIds<HostMessage>(
	dialect: Dialect<HostMessage>,
	hostMessages: readonly HostMessage[],
): string[] {
	return createChainIdCache(dialect)(hostMessages);
}

/** Returns a variant of `computeChainIds` for one conversation. It hashes only messages that differ from the previous list. */
export function createChainIdCache<HostMessage>(
	dialect: Dialect<HostMessage>,
): (hostMessages: readonly HostMessage[]) => string[] {
	let texts: string[] = [];
	let ids: string[] = [];
	return (hostMessages) => {
		const now = hostMessages.map((message) => JSON.stringify(dialect.getEssence(message)) ?? '');
		const common = countCommonItems(texts, now);
		const chain = ids.slice(0, common);
		for (const text of now.slice(common))
			chain.push(computeDigest((chain.at(-1) ?? '') + computeDigest(text)));
		[texts, ids] = [now, chain];
		return chain;
	};
}

/** A host's messages with their chain ids. */
export interface IdentifiedList<HostMessage> {
	hostMessages: readonly HostMessage[];
	ids: readonly string[];
}

/** Returns the length of the common prefix of two lists. */
export function countCommonItems(left: readonly string[], right: readonly string[]): number {
	const maxCommon = Math.min(left.length, right.length);
	for (let index = 0; index < maxCommon; index++) if (left[index] !== right[index]) return index;
	return maxCommon;
}

/** The position of a daemon's message in the host's list. */
export interface MessageLocation {
	/** The chain id of the host's message. */
	chainId: string;
	/** Index among the neutral messages of the host's message. */
	part: number;
}

const daemonIdPattern = /^([0-9a-f]{16})(?:~\d+)?(?:\.(\d+))?$/;

/** Returns the daemon's id of one neutral message; `base` is the daemon's id of the host's message. */
export function createMessageId(base: string, part: number): string {
	return part === 0 ? base : `${base}.${part}`;
}

/** Returns the chain id from which the daemon's id of a host's message was made. */
export function parseChainId(base: string): string {
	return base.split('~', 1)[0] ?? base;
}

/** Parses a daemon's message id; undefined if the daemon wrote the message itself. */
export function parseLocation(id: string): MessageLocation | undefined {
	const match = daemonIdPattern.exec(id);
	if (!match?.[1]) return undefined;
	return { chainId: match[1], part: Number(match[2] ?? 0) };
}
