/**
 * Returns the lines that differ between two JSON texts, with `+ ` or `- ` in front.
 *
 * A comma at the end of a line makes no difference. The result is exact; for lines that move, it is not the shortest.
 */
export function changedLines(before: string, after: string): string[] {
	const [old = [], now = []] = [before, after].map((text) =>
		text.split('\n').filter((line) => line.trim() !== ''),
	);
	const lines: string[] = [];
	let next = 0;
	for (const line of old) {
		const found = now.findIndex((one, index) => index >= next && withoutComma(one) === withoutComma(line));
		if (found < 0) lines.push(`- ${line}`);
		else {
			lines.push(...now.slice(next, found).map((one) => `+ ${one}`));
			next = found + 1;
		}
	}
	return [...lines, ...now.slice(next).map((line) => `+ ${line}`)];
}

function withoutComma(line: string): string {
	return line.trimEnd().replace(/,$/, '');
}
