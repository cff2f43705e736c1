/** Requirements of a provider for call ids. */
export interface IdRule {
	/** Matches ids that need no change. */
	allowed: RegExp;
	/** Returns an id in the provider's format, determined by the text. */
	createId(text: string): string;
	/** Scope in which an id must be unique: the whole request, or the calls of one answer. */
	uniqueWithin: 'request' | 'batch';
}

/** Two independent 32-bit FNV-1a hashes of a text (offset bases 0x811c9dc5 and its complement). */
function computeHashPair(text: string): [number, number] {
	let first = 0x811c9dc5;
	let second = 0x7ee3623a;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		first = Math.imul(first ^ unit, 0x01000193);
		second = Math.imul(second ^ unit, 0x85ebca6b);
		second ^= second >>> 13;
	}
	return [first >>> 0, second >>> 0];
}

/** Returns `length` characters of 0-9a-z (at most 13), determined by the text. */
export function createHashedId(text: string, length: number): string {
	const [first, second] = computeHashPair(text);
	const digits = first.toString(36).padStart(7, '0') + second.toString(36).padStart(7, '0');
	return digits.slice(-length);
}

/**
 * Assigns wire ids to the calls of a request: in the provider's format, and distinct if an id repeats.
 * `assignCallId` must be called for every call in order, `findResultId` for every result after its call. A result with
 * an empty id gets the id of the first waiting call.
 */
export interface CallIds {
	assignCallId(id: string): string;
	findResultId(id: string): string;
	/** Ends a batch: earlier calls can no longer be answered. */
	endBatch(): void;
}

/** Creates the ids of one request under a rule. */
export function createCallIds(rule: IdRule): CallIds {
	let usedIds = new Set<string>();
	let useCounts = new Map<string, number>();
	let openCalls = new Map<string, string[]>();
	const createId = (id: string): string => {
		let useNumber = (useCounts.get(id) ?? 0) + 1;
		let wire =
			useNumber === 1 && rule.allowed.test(id)
				? id
				: rule.createId(useNumber === 1 ? id : `${id}#${useNumber}`);
		while (usedIds.has(wire)) {
			useNumber += 1;
			wire = rule.createId(`${id}#${useNumber}`);
		}
		useCounts.set(id, useNumber);
		usedIds.add(wire);
		return wire;
	};
	return {
		assignCallId(id) {
			const wire = createId(id);
			const wireIds = openCalls.get(id);
			if (wireIds) wireIds.push(wire);
			else openCalls.set(id, [wire]);
			return wire;
		},
		findResultId(id) {
			const wireIds = openCalls.get(id) ?? [];
			const oldestIds =
				id === '' && wireIds.length === 0 ? [...openCalls.values()].find((ids) => ids.length > 0) : wireIds;
			return oldestIds?.shift() ?? (rule.allowed.test(id) ? id : rule.createId(id));
		},
		endBatch() {
			openCalls = new Map();
			if (rule.uniqueWithin === 'request') return;
			usedIds = new Set();
			useCounts = new Map();
		},
	};
}
