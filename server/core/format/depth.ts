/** Levels of lists and objects in a record; no agent's come near, and what walks a value by recursion needs a bound. */
const deepestLevel = 500;

/** Whether a value is nested deeper than any agent's records. Linear, without recursion. */
export function isTooDeep(value: unknown): boolean {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > deepestLevel) return true;
		const next: unknown[] = [];
		for (const one of level) {
			if (typeof one !== 'object' || one === null) continue;
			for (const inner of Object.values(one))
				if (typeof inner === 'object' && inner !== null) next.push(inner);
		}
		level = next;
	}
	return false;
}
