/** The name that somebody meant who wrote another one. */

/** Letters up to which one edit makes two names alike; longer ones may differ by two. */
const shortName = 5;

/**
 * The least number of letters to insert, delete, replace or swap with their neighbour that makes one text the other
 * (optimal string alignment), in UTF-16 units.
 */
export function editDistance(one: string, other: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: other.length + 1 }, (_, column) => column);
	for (let row = 1; row <= one.length; row++) {
		const current = [row];
		for (let column = 1; column <= other.length; column++) {
			const same = one[row - 1] === other[column - 1];
			const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
			current[column] = Math.min(
				at(last, column) + 1,
				at(current, column - 1) + 1,
				at(last, column - 1) + (same ? 0 : 1),
				isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		beforeLast = last;
		last = current;
	}
	return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
	return row[column] ?? Number.POSITIVE_INFINITY;
}

/** Without what people write in different ways: case, `_` and `-`. */
function plainName(name: string): string {
	return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/**
 * The known name that `given` looks like: the same without case, `_` and `-`, or one edit away (two, where the known
 * name has more than five letters); the nearest where there are several, undefined where there is none.
 */
export function nearName(given: string, known: readonly string[]): string | undefined {
	const plain = plainName(given);
	let nearest: { name: string; distance: number } | undefined;
	for (const name of known) {
		const other = plainName(name);
		const most = other.length > shortName ? 2 : 1;
		if (Math.abs(other.length - plain.length) > most) continue;
		const distance = editDistance(plain, other);
		if (distance <= most && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) {
			nearest = { name, distance };
		}
	}
	return nearest?.name;
}
