/** Formats figures for people, in the same way for terminals, status lines, editors and agents. */

/** Translates a text and inserts figures for `{0}`. */
type Translate = (text: string, ...figures: (string | number)[]) => string;

const formatEnglish: Translate = (text, figure = '') => text.replace('{0}', String(figure));

/** Formats a whole number: `1,234`. */
export function formatNumber(value: number): string {
	return String(Math.round(value)).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',');
}

/** Formats tokens in at most four characters and a unit: `812`, `4.2k`, `171k`, `1.05M`, `3.1B`. */
export function formatTokens(tokens: number): string {
	if (tokens < 999.5) return String(Math.round(tokens));
	if (tokens < 9950) return `${Number((tokens / 1000).toFixed(1))}k`;
	if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
	const [size, unit] = tokens < 999_500_000 ? [1e6, 'M'] : [1e9, 'B'];
	return `${Number((tokens / size).toPrecision(3))}${unit}`;
}

/** Formats a share as whole percent: `65%`; a share above 0 that would be rounded to 0 is `<1%`. */
export function formatPercent(share: number): string {
	return share > 0 && share < 0.005 ? '<1%' : `${formatNumber(share * 100)}%`;
}

/** Formats US dollars: `$0.41`, `$120`, `$1,234`, `<$0.01`. */
export function formatDollars(usd: number): string {
	if (usd > 0 && usd < 0.005) return '<$0.01';
	return `$${usd < 99.5 ? usd.toFixed(2) : formatNumber(usd)}`;
}

/** Formats a cost in US dollars, or in tokens at the price of input if the price is unknown: `120k of input`. */
export function formatCost(inputTokens: number, usd: number | undefined, t = formatEnglish): string {
	return usd === undefined ? t('{0} of input', formatTokens(inputTokens)) : formatDollars(usd);
}

/** Whether a cost or saving is large enough to show: a cent, or 5,000 tokens if the price is unknown. */
export function isWorthShowing(inputTokens: number, usd: number | undefined): boolean {
	return usd === undefined ? Math.abs(inputTokens) >= 5000 : Math.abs(usd) >= 0.01;
}

/** Length of a day in seconds. */
const daySeconds = 86_400;
/** Average length of a month in days. */
const monthDays = 30.44;
/** Average length of a year in days. */
const yearDays = 365.25;

/** Formats an age in milliseconds: `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`, `5 months ago`. */
export function formatAge(ms: number, t = formatEnglish): string {
	const seconds = Math.max(0, Math.floor(ms / 1000));
	if (seconds < 5) return t('just now');
	if (seconds < 60) return t('{0} s ago', seconds);
	if (seconds < 3600) return t('{0} min ago', Math.floor(seconds / 60));
	if (seconds < daySeconds) return t('{0} h ago', Math.floor(seconds / 3600));
	const days = seconds / daySeconds;
	if (days < 2 * monthDays) return t('{0} d ago', Math.floor(days));
	if (days < 2 * yearDays) return t('{0} months ago', Math.round(days / monthDays));
	return t('{0} years ago', Math.floor(days / yearDays));
}

/** Formats a count with its unit: `1 message`, `1,234 messages`. */
export function formatCount(value: number, singular: string): string {
	return `${formatNumber(value)} ${value === 1 ? singular : `${singular}s`}`;
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
