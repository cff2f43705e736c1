import { Failure } from './failure.ts';

/** An object of unknown fields. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a JSON text holds; undefined where it is none. O(length). */
export function parsedJson(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** Whether a text is JSON. O(length). */
export function isJson(text: string): boolean {
	return parsedJson(text) !== undefined;
}

/** Whether a value is an empty list, which from Lua may stand for an object without members: it cannot tell the two apart. */
export function isEmptyList(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'an array';
	if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
	if (typeof value === 'object') return 'an object';
	return `${typeof value} ${String(value)}`;
}

/** The error for a field that holds something else than it must: names the field, what was expected, what came. */
export function invalid(field: string, expected: string, got: unknown): Failure {
	return new Failure('InvalidParams', `${field}: expected ${expected}, got ${kindOf(got)}`, { field });
}

/** The value as an object; throws `InvalidParams` where it is none. */
export function fieldsAt(value: unknown, field: string): Fields {
	if (!isFields(value)) throw invalid(field, 'an object', value);
	return value;
}

/** The value as a string; throws `InvalidParams` where it is none. */
export function textAt(value: unknown, field: string): string {
	if (typeof value !== 'string') throw invalid(field, 'a string', value);
	return value;
}

/** The value as a string that is not empty; throws `InvalidParams` where it is none. */
export function nameAt(value: unknown, field: string): string {
	if (typeof value !== 'string' || value === '') throw invalid(field, 'a string that is not empty', value);
	return value;
}

/** The value as an array; throws `InvalidParams` where it is none. */
export function listAt(value: unknown, field: string): unknown[] {
	if (!Array.isArray(value)) throw invalid(field, 'an array', value);
	return value;
}

/** The value as a finite number from 0 up; throws `InvalidParams` where it is none. */
export function countAt(value: unknown, field: string): number {
	if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
		throw invalid(field, 'a finite number from 0 up', value);
	}
	return value;
}

/** The value if it is a string, else undefined: for fields that a provider may leave out or set to null. */
export function textOrNothing(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** The value if it is a string, else the empty one: for names and ids that are compared alone. */
export function wordOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The value if it is a finite number from 0 up, else 0: for figures that a provider may leave out. */
export function countOrZero(value: unknown): number {
	return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** The fields whose value is not undefined: absent fields stay absent. */
export function present<T extends object>(fields: T): T {
	const kept: Partial<T> = {};
	// A list of the names would take longer than all else: this is asked several times for every message.
	for (const name in fields) {
		const value = fields[name];
		if (value !== undefined) kept[name] = value;
	}
	return kept as T;
}

/** Whether lists and objects are nested in more levels than so many. Linear; goes no deeper itself. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
	return isObject(value) && isDeeper(value, levels);
}

/** In loops without closures, and a call for objects alone: it is asked of every record that is read. */
function isDeeper(value: object, levels: number): boolean {
	if (levels < 0) return true;
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) {
			if (isObject(value[index]) && isDeeper(value[index], levels - 1)) return true;
		}
		return false;
	}
	for (const name in value) {
		const inner = (value as Fields)[name];
		if (isObject(inner) && isDeeper(inner, levels - 1)) return true;
	}
	return false;
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
