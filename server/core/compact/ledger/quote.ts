/** Names of the wrappers in which a history is handed to a model: content must not close them. */
const WRAPPERS =
	/<(\/?)((?:conversation|transcript|summary|previous[-_]summary|condensed[-_]summary|system)\b)/gi;

/**
 * Foreign text as lines of a section: each line set in by one space, so that none of them is a heading or
 * a label of the summary, and no wrapper around it can be closed.
 */
export function quote(text: string): string {
	return text
		.split('\n')
		.map(quotedLine)
		.filter((line) => line !== '')
		.join('\n');
}

/** As `quote`, on one line. */
export function quoteLine(text: string): string {
	return quotedLine(text.replace(/\s*\n\s*/g, ' ')).trimStart();
}

function quotedLine(line: string): string {
	const text = line.trim();
	if (text === '') return '';
	const safe = text.replace(/^(#{1,6}(?=\s)|\[#\d)/, '\\$1').replace(WRAPPERS, '<$1\\$2');
	return ` ${safe}`;
}
