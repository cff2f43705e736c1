import { Failure } from './failure.ts';

/** An object of unknown fields. */
export type Fields = Record<string, unknown>;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON text; undefined if it is not JSON. O(length). */
export function tryParseJson(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** Whether a text is JSON. O(length). */
export function isJson(text: string): boolean {
	return tryParseJson(text) !== undefined;
}

/** Whether a value is an empty list. Lua cannot distinguish it from an object without members. */
export function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function describeValue(value: unknown): string {
	if (value === null) return 'null';
	if (value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'an array';
	if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
	if (typeof value === 'object') return 'an object';
	return `${typeof value} ${String(value)}`;
}

/** Returns the failure for a field of the wrong type: names the field, expected and actual value. */
export function createInvalidFieldFailure(field: string, expected: string, actual: unknown): Failure {
	return new Failure('InvalidParams', `${field}: expected ${expected}, got ${describeValue(actual)}`, {
		field,
	});
}

/** Returns the value if it is an object; throws `InvalidParams` otherwise. */
export function requireFields(value: unknown, field: string): Fields {
	if (!isFields(value)) throw createInvalidFieldFailure(field, 'an object', value);
	return value;
}

/** Returns the value if it is a string; throws `InvalidParams` otherwise. */
export function requireText(value: unknown, field: string): string {
	if (typeof value !== 'string') throw createInvalidFieldFailure(field, 'a string', value);
	return value;
}

/** Returns the value if it is a nonempty string; throws `InvalidParams` otherwise. */
export function requireName(value: unknown, field: string): string {
	if (typeof value !== 'string' || value === '')
		throw createInvalidFieldFailure(field, 'a nonempty string', value);
	return value;
}

/** Returns the value if it is an array; throws `InvalidParams` otherwise. */
export function requireList(value: unknown, field: string): unknown[] {
	if (!Array.isArray(value)) throw createInvalidFieldFailure(field, 'an array', value);
	return value;
}

/** Returns the value if it is a finite number of at least 0; throws `InvalidParams` otherwise. */
export function requireCount(value: unknown, field: string): number {
	if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
		throw createInvalidFieldFailure(field, 'a finite number from 0 up', value);
	return value;
}

/** Returns the value if it is a string, else undefined. For fields that may be missing or null. */
export function readOptionalText(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** Returns the value if it is a string, else ''. For names and ids that are only compared. */
export function textOrEmpty(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** Returns the value if it is a positive finite number, else 0. For figures that providers may omit. */
export function countOrZero(value: unknown): number {
	return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Returns the object without its undefined fields. */
export function pickDefined<T extends object>(fields: T): T {
	const result: Partial<T> = {};
	// This loop runs several times per message; `Object.entries` would dominate the cost.
	for (const name in fields) {
		const value = fields[name];
		if (value !== undefined) result[name] = value;
	}
	return result as T;
}

/** Whether lists and objects are nested deeper than `levels`. Linear time; recursion stops at that depth. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
	return isObject(value) && isDeeper(value, levels);
}

/** Like `isNestedDeeper`, for a list or object. Runs for every record, so it uses loops instead of closures. */
function isDeeper(value: object, levels: number): boolean {
	if (levels < 0) return true;
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) {
			if (isObject(value[index]) && isDeeper(value[index], levels - 1)) return true;
		}
		return false;
	}
	for (const name in value) {
		const member = (value as Fields)[name];
		if (isObject(member) && isDeeper(member, levels - 1)) return true;
	}
	return false;
}

/** Returns whether a value is an object or a list. */
export function isObject(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null;
}
