/** Levels of lists and objects in a record; no agent's come near, and what walks a value by recursion needs a bound. */
const deepestLevel = 500;

/** Whether a value is nested deeper than any agent's records. Linear; goes no deeper itself. */
export function isTooDeep(value: unknown): boolean {
	return isDeeper(value, deepestLevel);
}

function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels < 0) return true;
	if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1));
	for (const name in value) {
		if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
	}
	return false;
}
