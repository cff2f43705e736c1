import { getOrInsert } from '../../getOrInsert.ts';

/** Requirements of a provider for call ids. */
export interface IdRule {
	/** Matches ids that need no change. */
	allowedPattern: RegExp;
	/** Returns an id in the provider's format, determined by the text. */
	createId(text: string): string;
	/** Scope in which an id must be unique: the whole request, or the calls of one answer. */
	uniqueWithin: 'request' | 'batch';
}

/** Two independent 32-bit FNV-1a hashes of a text (offset bases 0x811c9dc5 and its complement). */
function computeHashPair(text: string): [number, number] {
	let firstHash = 0x811c9dc5;
	let secondHash = 0x7ee3623a;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		firstHash = Math.imul(firstHash ^ unit, 0x01000193);
		secondHash = Math.imul(secondHash ^ unit, 0x85ebca6b);
		secondHash ^= secondHash >>> 13;
	}
	return [firstHash >>> 0, secondHash >>> 0];
}

/** Returns `length` characters of 0-9a-z (at most 13), determined by the text. */
export function createHashedId(text: string, length: number): string {
	const [first, second] = computeHashPair(text);
	const digits = first.toString(36).padStart(7, '0') + second.toString(36).padStart(7, '0');
	return digits.slice(-length);
}

/**
 * Assigns wire ids to the calls of one request: in the provider's format, and distinct if an id repeats.
 * `assignCallId` must be called for every call in order, `findResultId` for every result after its call.
 */
export class CallIds {
	readonly #rule: IdRule;
	#usedIds = new Set<string>();
	#useCounts = new Map<string, number>();
	/** The wire ids of the calls that wait for a result, by their original id. */
	#openCalls = new Map<string, string[]>();

	constructor(rule: IdRule) {
		this.#rule = rule;
	}

	assignCallId(id: string): string {
		const wireId = this.#createId(id);
		getOrInsert(this.#openCalls, id, () => []).push(wireId);
		return wireId;
	}

	/** Returns the wire id of a result; an empty id is that of the first waiting call. */
	findResultId(id: string): string {
		const wireIds = this.#openCalls.get(id) ?? [];
		const oldestIds =
			id === '' && wireIds.length === 0
				? [...this.#openCalls.values()].find((ids) => ids.length > 0)
				: wireIds;
		return oldestIds?.shift() ?? (this.#rule.allowedPattern.test(id) ? id : this.#rule.createId(id));
	}

	/** Ends a batch: earlier calls can no longer be answered. */
	endBatch(): void {
		this.#openCalls = new Map();
		if (this.#rule.uniqueWithin === 'request') return;
		this.#usedIds = new Set();
		this.#useCounts = new Map();
	}

	#createId(id: string): string {
		let useNumber = (this.#useCounts.get(id) ?? 0) + 1;
		let wireId = id;
		if (useNumber > 1) wireId = this.#rule.createId(`${id}#${useNumber}`);
		else if (!this.#rule.allowedPattern.test(id)) wireId = this.#rule.createId(id);
		while (this.#usedIds.has(wireId)) {
			useNumber += 1;
			wireId = this.#rule.createId(`${id}#${useNumber}`);
		}
		this.#useCounts.set(id, useNumber);
		this.#usedIds.add(wireId);
		return wireId;
	}
}
