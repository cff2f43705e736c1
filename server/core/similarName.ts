/** Finds the known name that a misspelled name probably means. */

/** Maximum length at which only one edit is allowed; longer names may differ by two. */
const maxShortLength = 5;

/**
 * Returns the minimum number of insertions, deletions, replacements and swaps of neighbours that turn
 * one text into the other (optimal string alignment), in UTF-16 units.
 */
export function computeEditDistance(one: string, other: string): number {
	let secondLastRow: number[] = [];
	let lastRow = Array.from({ length: other.length + 1 }, (_, column) => column);
	for (let row = 1; row <= one.length; row++) {
		const currentRow = [row];
		for (let column = 1; column <= other.length; column++) {
			const isSame = one[row - 1] === other[column - 1];
			const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
			currentRow[column] = Math.min(
				getCost(lastRow, column) + 1,
				getCost(currentRow, column - 1) + 1,
				getCost(lastRow, column - 1) + (isSame ? 0 : 1),
				isSwap ? getCost(secondLastRow, column - 2) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		secondLastRow = lastRow;
		lastRow = currentRow;
	}
	return getCost(lastRow, other.length);
}

function getCost(row: readonly number[], column: number): number {
	return row[column] ?? Number.POSITIVE_INFINITY;
}

/** Removes differences that people ignore: case, `_` and `-`. */
function normalizeName(name: string): string {
	return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/**
 * Returns the known name that is most similar to `typed`; undefined if none is similar. Similar means
 * equal without case, `_` and `-`, or one edit away (two if the known name has more than five letters).
 */
export function findSimilarName(typed: string, knownNames: readonly string[]): string | undefined {
	const plainTyped = normalizeName(typed);
	let nearest: { name: string; distance: number } | undefined;
	for (const name of knownNames) {
		const other = normalizeName(name);
		const maxDistance = other.length > maxShortLength ? 2 : 1;
		if (Math.abs(other.length - plainTyped.length) > maxDistance) continue;
		const distance = computeEditDistance(plainTyped, other);
		if (distance <= maxDistance && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
			nearest = { name, distance };
	}
	return nearest?.name;
}
