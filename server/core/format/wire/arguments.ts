import { isFields, isJson, isNestedDeeper } from '../../shape.ts';

/** Call arguments from their JSON text; one that is no JSON, or nested beyond all reason, stands for itself. */
export function argumentsFromJson(json: string): unknown {
	try {
		const args: unknown = JSON.parse(json);
		return isTooDeep(args) ? json : args;
	} catch (error) {
		if (error instanceof SyntaxError) return json;
		throw error;
	}
}

/** Call arguments as JSON text. A string that is no JSON stands for itself, so that reading it back gives it again. */
export function argumentsToJson(args: unknown): string {
	if (typeof args === 'string') return isJson(args) ? JSON.stringify(args) : args;
	return JSON.stringify(args ?? {});
}

/** The input of a call in free text: the text itself, anything else as JSON. */
export function argumentsToText(args: unknown): string {
	return typeof args === 'string' ? args : JSON.stringify(args ?? '');
}

/** Call arguments for providers that take an object alone: anything else stands under `value`. */
export function argumentsToObject(args: unknown): Record<string, unknown> {
	if (isFields(args)) return args;
	if (args === undefined || args === null || args === '') return {};
	return { value: args };
}

/** Levels of lists and objects in a record; no agent's come near, and what walks a value by recursion needs a bound. */
const deepestLevel = 500;

/** Whether a value is nested deeper than any agent's records. Linear; goes no deeper itself. */
export function isTooDeep(value: unknown): boolean {
	return isNestedDeeper(value, deepestLevel);
}
