/** Figures as people read them. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,234` */
export function count(value: number): string {
	return whole.format(value);
}

/** `1 message`, `1,234 messages` */
export function countOf(value: number, one: string, many = `${one}s`): string {
	return `${count(value)} ${value === 1 ? one : many}`;
}

/** `65%`, of a ratio. */
export function percent(ratio: number): string {
	return `${whole.format(ratio * 100)}%`;
}

/** `65%`, but `<1%` for what is there and would round to nothing. */
export function share(part: number, total: number): string {
	const ratio = total > 0 ? part / total : 0;
	return ratio > 0 && ratio < 0.005 ? '<1%' : percent(ratio);
}

/** `1.2 MB`, `340 kB`, `12 B` */
export function bytes(value: number): string {
	if (value < 1000) return `${value} B`;
	if (value < 1_000_000) return `${whole.format(value / 1000)} kB`;
	return `${(value / 1_000_000).toFixed(1)} MB`;
}
