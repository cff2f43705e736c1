/** Formats counts, shares and sizes for terminals. */

import { formatNumber, formatPercent } from '../../core/figures.ts';

/** Formats a count with its unit: `1 message`, `1,234 messages`. */
export function formatCount(value: number, one: string): string {
	return `${formatNumber(value)} ${value === 1 ? one : `${one}s`}`;
}

/** Formats a share: `65%`, but `<1%` for a part that would round to nothing. */
export function formatShare(part: number, total: number): string {
	return formatPercent(total > 0 ? part / total : 0);
}

/** Formats a size in bytes: `2.5 GB`, `1.2 MB`, `340 kB`, `12 B`. */
export function formatByteSize(value: number): string {
	if (value < 1000) return `${value} B`;
	if (value < 1_000_000) return `${formatNumber(value / 1000)} kB`;
	if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
	return `${(value / 1_000_000_000).toFixed(1)} GB`;
}
