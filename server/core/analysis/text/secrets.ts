/** Recognizes keys of well-known services by their fixed beginnings, and other secrets by the names before them. */

/**
 * API keys of Anthropic, OpenAI, OpenRouter, Groq, xAI, Hugging Face and Stripe, tokens of GitHub, GitLab, npm, AWS, Google, Slack
 * and bots of Telegram, JSON Web Tokens, also without their signatures, and tokens after the word Bearer. Sources: the services' own
 * descriptions of their formats.
 */
const secretPattern =
	/\b(?:sk-(?:ant|proj|svcacct|or)-[\w-]{20,300}|sk-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{32,300}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,300}|(?:gsk_|hf_|xai-)[A-Za-z0-9]{32,300}|npm_[A-Za-z0-9]{36}|gh[pousr]_[A-Za-z0-9]{30,300}|github_pat_\w{30,300}|glpat-[\w-]{18,300}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,100}|GOCSPX-[\w-]{20,60}|xox[abprs]-[\w-]{20,300}|\d{8,10}:AA[\w-]{33}|eyJ[\w-]{20,2000}\.eyJ[\w-]{0,4000}(?:\.[\w-]{1,2000})?|(?<=\b[Bb]earer )(?!process\.env\b)(?=[^\d\s]{0,60}\d)[\w.~+/-]{20,4000}={0,2})/g;
/**
 * The value of a parameter of an address, or of a variable, that grants access; no placeholder, and no name in words:
 * `?key=tide-table-2026`.
 */
const parameterPattern =
	/(?<=[?&](?:access_token|api_?[kK]ey|client_secret|key|secret|sig|signature|token)=|\b(?:[A-Z][A-Z\d_]{0,60}_)?(?:(?:API|ACCESS|SECRET|PRIVATE)_?KEY|SECRET|TOKEN)=["']?)(?![a-z]{2,20}(?:[-_][a-z\d]{1,20}){1,12}(?![\w-]))(?=[\w%.~+/-]{0,100}\d)[\w%.~+/-]{16,1000}(?![\w%.~+/(-])/g;
/** The value of a variable for a password: in a command, a file or a list. No reference to a variable, placeholder or code. */
const passwordPattern =
	/(?<=(?:^|[\s"'`;&|(])(?:(?:[A-Z][A-Z\d_]{0,60}_)?PASSWORD|PGPASSWORD|MYSQL_PWD)=["']?)(?![$<*{%[]|[A-Za-z_]{1,40}[.(][A-Za-z_"'])[^\s"'`;&|()<>…]{3,200}/gm;
/** Length of the shown beginning of a key, which shows the service. UTF-16 units. */
const shownLength = 6;

/** Returns a text in which keys are shortened to their beginning, and passwords are left out. O(length). */
export function maskSecrets(text: string): string {
	const shorten = (secret: string): string => `${secret.slice(0, shownLength)}… (key)`;
	return text
		.replace(secretPattern, shorten)
		.replace(parameterPattern, shorten)
		.replace(passwordPattern, '… (password)');
}
