/** Formats figures for people. */

/** `1,234` */
export function numberText(value: number): string {
	return String(Math.round(value)).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',');
}

/** `1 message`, `1,234 messages` */
export function countWithUnit(value: number, one: string): string {
	return `${numberText(value)} ${value === 1 ? one : `${one}s`}`;
}

/** Formats a ratio: `65%` */
export function ratioPercentText(ratio: number): string {
	return `${numberText(ratio * 100)}%`;
}

/** `65%`, but `<1%` for a part that would round to nothing. */
export function shareText(part: number, total: number): string {
	const ratio = total > 0 ? part / total : 0;
	return ratio > 0 && ratio < 0.005 ? '<1%' : ratioPercentText(ratio);
}

/** `2.5 GB`, `1.2 MB`, `340 kB`, `12 B` */
export function byteSizeText(value: number): string {
	if (value < 1000) return `${value} B`;
	if (value < 1_000_000) return `${numberText(value / 1000)} kB`;
	if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
	return `${(value / 1_000_000_000).toFixed(1)} GB`;
}

const minute = 60_000;

/** `just now`, `5 min ago`, `3 h ago`, `12 d ago` */
export function formatAge(at: number, now: number): string {
	const minutes = Math.floor((now - at) / minute);
	if (minutes < 1) return 'just now';
	if (minutes < 60) return `${minutes} min ago`;
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
