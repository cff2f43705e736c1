/** UTF-16 units that two texts have in common at their beginning; in few comparisons of long pieces. */
export function beginningInCommon(one: string, other: string): number {
	let known = 0;
	let end = Math.min(one.length, other.length);
	while (known < end) {
		const middle = Math.ceil((known + end) / 2);
		if (one.slice(known, middle) === other.slice(known, middle)) known = middle;
		else end = middle - 1;
	}
	return known;
}
