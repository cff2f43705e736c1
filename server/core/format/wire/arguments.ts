import { isFields, isJson, isNestedDeeper } from '../../shape.ts';

/** Parses call arguments from JSON. Invalid or far too deeply nested JSON is returned as a string. */
export function parseArgumentsJson(json: string): unknown {
	try {
		const args: unknown = JSON.parse(json);
		return isTooDeep(args) ? json : args;
	} catch (error) {
		if (error instanceof SyntaxError) return json;
		throw error;
	}
}

/** Writes call arguments as JSON. A string that is not JSON is unchanged, so parsing restores it. */
export function formatArgumentsJson(args: unknown): string {
	if (typeof args === 'string') return isJson(args) ? JSON.stringify(args) : args;
	return JSON.stringify(args ?? {});
}

/** Writes the input of a free-text call: a string unchanged, anything else as JSON. */
export function formatArgumentsText(args: unknown): string {
	return typeof args === 'string' ? args : JSON.stringify(args ?? '');
}

/** Returns call arguments as an object, as some providers require; other values go into `value`. */
export function toArgumentsObject(args: unknown): Record<string, unknown> {
	if (isFields(args)) return args;
	if (args === undefined || args === null || args === '') return {};
	return { value: args };
}

/** Maximum nesting of a record. No agent comes close, and recursive functions need a bound. */
const maxDepth = 500;

/** Whether a value is nested deeper than any agent's records. Linear; recurses no deeper. */
export function isTooDeep(value: unknown): boolean {
	return isNestedDeeper(value, maxDepth);
}
