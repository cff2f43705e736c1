/** Object schemas for params. At every depth, null members count as absent, and an empty list as an empty object. */

import * as z from 'zod/mini';
import { isEmptyList } from '../../core/shape.ts';

/**
 * Returns the schema of an object.
 *
 * A null member counts as absent unless its own schema accepts null. Members outside the shape are dropped. An empty
 * list counts as an object without members, because Lua cannot distinguish them.
 */
export function objectSchema<Shape extends z.core.$ZodShape>(shape: Shape) {
	/**
	 * Members whose schema accepts null. Computed at the first null, because checking every schema at load would slow
	 * the start.
	 */
	let nullableMembers: ReadonlySet<string> | undefined;
	const isAbsent = ([name, value]: [string, unknown]): boolean => {
		if (value !== null) return false;
		nullableMembers ??= new Set(
			Object.keys(shape).filter((one) => z.safeParse(shape[one] ?? z.never(), null).success),
		);
		return !nullableMembers.has(name);
	};
	const withoutAbsent = z.transform((value: unknown): unknown => {
		if (isEmptyList(value)) return {};
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const members = Object.entries(value);
		return members.some(isAbsent) ? Object.fromEntries(members.filter((one) => !isAbsent(one))) : value;
	});
	return z.pipe(withoutAbsent, z.object(shape));
}

/** Normalizes params: absent or null params become `{}`, and a list with a single object becomes that object. */
export function normalizeParams(receivedParams: unknown): unknown {
	const isByPosition =
		Array.isArray(receivedParams) && receivedParams.length === 1 && typeof receivedParams[0] === 'object';
	return (isByPosition ? receivedParams[0] : receivedParams) ?? {};
}
