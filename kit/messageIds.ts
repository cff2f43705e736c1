/** The ids by which the daemon knows the host's messages. */

/** Where a message of the daemon's stands among the host's. */
export interface MessagePlace {
	/** The chain id of the host's message. */
	chainId: string;
	/** Which of the neutral messages of that one, from 0. */
	part: number;
}

const form = /^([0-9a-f]{16})(?:~\d+)?(?:\.(\d+))?$/;

/** The id of a host's message in the epoch that it is told in: what was rewound keeps the id of its epoch. */
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
