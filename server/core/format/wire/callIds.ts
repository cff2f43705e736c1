/** Which call ids a provider takes. */
export interface IdRule {
	/** Matches an id that is taken as it is. */
	allowed: RegExp;
	/** An id of the provider's form, always the same for the same text. */
	make(text: string): string;
	/** Where an id must not come twice: in the whole request, or among the calls of one answer. */
	unique: 'request' | 'batch';
}

/** Two independent 32-bit FNV-1a hashes of a text (offset bases 0x811c9dc5 and its complement), as one number pair. */
function hashes(text: string): [number, number] {
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

/** `length` characters of 0-9a-z (at most 13) that depend on the text alone. */
export function hashedId(text: string, length: number): string {
	const [first, second] = hashes(text);
	const digits = first.toString(36).padStart(7, '0') + second.toString(36).padStart(7, '0');
	return digits.slice(-length);
}

/**
 * Gives each call of a request its id on the wire: of the provider's form, and another one where an id comes
 * twice. `call` is asked for every call in order, `result` for every result after its call; a result whose id is
 * empty takes that of the call that waits.
 */
export interface CallIds {
	call(id: string): string;
	result(id: string): string;
	/** Ends a batch: what was called before can no longer be answered. */
	endBatch(): void;
}

/** The ids of one request under a rule. */
export function callIds(rule: IdRule): CallIds {
	let taken = new Set<string>();
	let uses = new Map<string, number>();
	let open = new Map<string, string[]>();
	const fresh = (id: string): string => {
		let use = (uses.get(id) ?? 0) + 1;
		let wire = use === 1 && rule.allowed.test(id) ? id : rule.make(use === 1 ? id : `${id}#${use}`);
		while (taken.has(wire)) {
			use += 1;
			wire = rule.make(`${id}#${use}`);
		}
		uses.set(id, use);
		taken.add(wire);
		return wire;
	};
	return {
		call(id) {
			const wire = fresh(id);
			const waiting = open.get(id);
			if (waiting) waiting.push(wire);
			else open.set(id, [wire]);
			return wire;
		},
		result(id) {
			const waiting = open.get(id) ?? [];
			const oldest =
				id === '' && waiting.length === 0 ? [...open.values()].find((ids) => ids.length > 0) : waiting;
			return oldest?.shift() ?? (rule.allowed.test(id) ? id : rule.make(id));
		},
		endBatch() {
			open = new Map();
			if (rule.unique === 'request') return;
			taken = new Set();
			uses = new Map();
		},
	};
}
