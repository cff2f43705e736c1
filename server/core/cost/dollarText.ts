/** Formats US dollars: `$0.41`, `$120`, `$1,234`, `<$0.01`. */
export function dollarText(usd: number): string {
	if (usd > 0 && usd < 0.005) return '<$0.01';
	return `$${usd < 99.5 ? usd.toFixed(2) : Math.round(usd).toLocaleString('en-US')}`;
}
