/** Recognizes lines of code that only name what other files define. */

/** A line that imports names, or that is only a list of names, as within an import of several lines. */
const importPattern =
	/^[+\s]{0,20}(?:import\b|from [\w.]{1,100} import\b|#include\b|using [\w.]{1,100};|use [\w:]{1,100}|const [^=\n]{1,120}= require\(|export \* from\b|package [\w.]{1,100};?$|\} from ['"]|[\w$ ,]{1,60}$)/;

/** Whether all lines of a code segment import names. A reader learns little from them that the code itself does not show. */
export function isImport(code: string): boolean {
	return code.split('\n').every((line) => line.trim() === '' || importPattern.test(line));
}
