/** Long texts that a careless search takes for ever over, by the piece that they repeat. */
const pieces: readonly string[] = [
	' ',
	'\n',
	'a/',
	'"a" ',
	'<b>',
	'{"a":[',
	'\\"',
	'`',
	"$(cat 'x')|",
	'../',
	'@@ -1 +1 @@\n-a\n+b\n',
	'\ud800',
	'e\u0301',
	'data:image/png;base64,',
	'error: ',
	'1. You must ',
	'tokens > 1 ',
	'\u2028',
];

export const toolNames: readonly string[] = [
	'Read',
	'Bash',
	'Edit',
	'TodoWrite',
	'apply_patch',
	'constructor',
];

/** One of them, of some hundred thousand UTF-16 units. */
export function evilText(random: () => number): string {
	const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
	return piece.repeat(Math.ceil((50_000 + random() * 250_000) / piece.length));
}
