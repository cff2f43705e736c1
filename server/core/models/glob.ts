/**
 * Whether a name is what a pattern with `*` and `?` describes, from end to end and whatever the letter case.
 * Takes at most pattern × text steps.
 */
export function matchesGlob(pattern: string, text: string): boolean {
	const wanted = pattern.toLowerCase();
	const given = text.toLowerCase();
	let at = 0;
	let star = -1;
	let retry = 0;
	let i = 0;
	while (i < given.length) {
		if (at < wanted.length && wanted[at] === '*') {
			star = at++;
			retry = i;
		} else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[i])) {
			at++;
			i++;
		} else if (star >= 0) {
			at = star + 1;
			i = ++retry;
		} else return false;
	}
	while (wanted[at] === '*') at++;
	return at === wanted.length;
}
