/** Finds the files that a request asks to write. */

/** A path with a folder and an extension, which is no part of a longer path or of a pattern such as `{id}/log.md`. */
const pathPattern =
	/(?<![\w/{}<>*$.~@-])(?:~?\/)?(?:[\w.@-]{1,80}\/){1,12}[\w.@-]{1,80}\.\w{1,8}(?![\w/{*])/g;
/** The words before the path: "save the result as", "schreibe es nach", "写入". */
const beforePattern =
	/\b(?:write|save|store|put|output|record|export|append|create|schreibe?|speichere?|lege?)\b[^\n.;]{0,80}?\b(?:to|in|into|as|at|under|file|nach|unter|als)\s{1,4}[`"']{0,2}$|(?:保存|写|输出|记录|追加)[入到至在为]\s?[`"「“]{0,2}$/i;
/** The words after the path: `として保存`, `に追記`. */
const afterPattern = /^[`"'」”]{0,2}\s?(?:として|に|へ)[^\n。]{0,12}(?:保存|作成|出力|追記|記録|書)/;
/** How far before and after a path these words are looked for. UTF-16 units. */
const searchedLength = { before: 120, after: 40 } as const;

/** Returns the paths of the files that a request asks to write, in order, each once. Linear. */
export function listRequestedFiles(request: string): string[] {
	const requested = [...request.matchAll(pathPattern)].filter(({ 0: path, index }) => {
		const end = index + path.length;
		return (
			beforePattern.test(request.slice(Math.max(0, index - searchedLength.before), index)) ||
			afterPattern.test(request.slice(end, end + searchedLength.after))
		);
	});
	return [...new Set(requested.map(([path]) => path))];
}
