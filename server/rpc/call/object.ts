/** How objects of params are checked: a null member is one that is absent, at every depth. */

import * as z from 'zod';

/**
 * Schema of an object. A null member counts as absent, unless its own schema takes null; members that the shape does
 * not name are left out.
 */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
	const takesNull = new Set(
		Object.keys(shape).filter((name) => z.safeParse(shape[name] ?? z.never(), null).success),
	);
	const isAbsent = ([name, value]: [string, unknown]): boolean => value === null && !takesNull.has(name);
	return z.preprocess((value) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const members = Object.entries(value);
		return members.some(isAbsent) ? Object.fromEntries(members.filter((one) => !isAbsent(one))) : value;
	}, z.object(shape));
}
