/** How objects of params are checked: a null member is absent, and an empty list has no members, at every depth. */

import * as z from 'zod/mini';
import { isEmptyList } from '../../core/shape.ts';

/**
 * Schema of an object. A null member counts as absent, unless its own schema takes null; members that the shape does
 * not name are left out. An empty list is an object without members, as Lua cannot tell the two apart.
 */
export function object<Shape extends z.core.$ZodShape>(shape: Shape) {
	let takesNull: ReadonlySet<string> | undefined;
	/** Found out with the first null: to ask each schema of each shape would make the program slow to load. */
	const isAbsent = ([name, value]: [string, unknown]): boolean => {
		if (value !== null) return false;
		takesNull ??= new Set(
			Object.keys(shape).filter((one) => z.safeParse(shape[one] ?? z.never(), null).success),
		);
		return !takesNull.has(name);
	};
	const withoutAbsent = z.transform((value: unknown): unknown => {
		if (isEmptyList(value)) return {};
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const members = Object.entries(value);
		return members.some(isAbsent) ? Object.fromEntries(members.filter((one) => !isAbsent(one))) : value;
	});
	return z.pipe(withoutAbsent, z.object(shape));
}

/** Params as they are checked: absent and null ones have no members; by position, the one object is all there is. */
export function namedParams(received: unknown): unknown {
	const isByPosition = Array.isArray(received) && received.length === 1 && typeof received[0] === 'object';
	return (isByPosition ? received[0] : received) ?? {};
}
