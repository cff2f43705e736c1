/** Tokens below which a part of a file is of no use. */
const SMALLEST_SHARE = 50;

/**
 * Shares a budget among files of these sizes, all in tokens. A file that is no larger than an even share of
 * what is left gets its whole size. The others get half an even share each and divide the rest in proportion
 * to what they still lack. While that leaves less than 50 tokens each, the largest goes without.
 */
export function shareBudget(sizes: readonly number[], budget: number): number[] {
	const shares = sizes.map(() => 0);
	const ascending = sizes.map((_, index) => index).sort((a, b) => sizes[a]! - sizes[b]!);
	let left = budget;
	let placed = 0;
	let end = ascending.length;
	while (placed < end) {
		const index = ascending[placed]!;
		const even = left / (end - placed);
		if (sizes[index]! <= even) {
			shares[index] = sizes[index]!;
			left -= sizes[index]!;
			placed += 1;
		} else if (even < SMALLEST_SHARE) {
			end -= 1;
		} else {
			break;
		}
	}
	divide(sizes, ascending.slice(placed, end), left, shares);
	return shares;
}

function divide(sizes: readonly number[], large: readonly number[], left: number, shares: number[]): void {
	if (large.length === 0) return;
	const first = Math.floor(left / large.length / 2);
	const rest = left - first * large.length;
	const lacking = large.reduce((sum, index) => sum + sizes[index]! - first, 0);
	for (const index of large) {
		shares[index] = first + Math.floor((rest * (sizes[index]! - first)) / lacking);
	}
}
