/** Replaces secrets in a text before a search index or an agent receives it. */

/** Text that replaces a secret. */
export const redaction = '[redacted]';

/** Patterns of tokens that need no context, as their issuers document them. */
const tokenForms = [
	/(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/,
	/gh[pousr]_[A-Za-z0-9]{30,255}/,
	/github_pat_[A-Za-z0-9_]{22,255}/,
	/gl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{20,255}/,
	/xox[abeoprs]-[A-Za-z0-9-]{10,255}/,
	/xapp-[A-Za-z0-9-]{10,255}/,
	/[rsp]k_(?:live|test)_[A-Za-z0-9]{10,255}/,
	/whsec_[A-Za-z0-9+/=]{20,255}/,
	/sk-[A-Za-z0-9_-]{20,255}/,
	/AIza[A-Za-z0-9_-]{35}/,
	/ya29\.[A-Za-z0-9_-]{20,2000}/,
	/GOCSPX-[A-Za-z0-9_-]{20,60}/,
	/npm_[A-Za-z0-9]{36}/,
	/pypi-[A-Za-z0-9_-]{50,2000}/,
	/hf_[A-Za-z0-9]{30,60}/,
	/SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}/,
	/dop_v1_[a-f0-9]{64}/,
	/eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{0,4000}/,
];
const tokenPattern = new RegExp(
	`(?<![A-Za-z0-9_-])(?:${tokenForms.map(({ source }) => source).join('|')})`,
	'g',
);

/** The credentials in an HTTP header. */
const credentialHeaderPattern = /\b((?:Bearer|Basic|Token)[ \t]{1,4})([A-Za-z0-9._~+/=-]{16,8000})/gi;
/** The password in a URL. */
const addressPasswordPattern = /(:\/\/[^\s:/?#@'"<>]{0,100}:)([^\s/?#@'"<>]{1,200})(?=@)/g;
/** A value, quoted or not, that is assigned to a secret's name; the name may have a prefix. */
const assignmentPattern =
	/((?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|credentials|api[_-]?keys?|access[_-]?keys?(?:[_-]?id)?|private[_-]?keys?|account[_-]?keys?|auth[_-]?keys?)\\?["']?[ \t]{0,4}(?::|=>?)[ \t]{0,4})(?:(\\?["'])([^"'\\\s]{6,400})(?=\\?["'])|([^\s"'`\\,;(){}[\]<>$]{8,400})(?![^\s"'`\\,;)}\]]))/gi;
/** An option or variable whose next word is a password. */
const passwordOptionPattern =
	/((?:^|\s)--?(?:password|passwd|token|secret|api-key)[ \t]{1,4})([^\s'"$-][^\s'"]{5,200})/gi;

const privateKeyBegin = '-----BEGIN ';
const privateKeyEnd = '-----END ';

/** Returns the text with its secrets replaced. Linear time for any text. */
export function redactSecrets(text: string): string {
	return redactPrivateKeys(text)
		.replace(tokenPattern, redaction)
		.replace(credentialHeaderPattern, `$1${redaction}`)
		.replace(addressPasswordPattern, `$1${redaction}`)
		.replace(assignmentPattern, replaceAssigned)
		.replace(passwordOptionPattern, `$1${redaction}`);
}

/**
 * Replaces an assigned value, unless it is code, as in `password: string` or `token = readToken`.
 * @param groups the name with its assignment sign; then a quote and the quoted value, or the value without quotes
 */
function replaceAssigned(match: string, ...groups: (string | undefined)[]): string {
	const [name = '', quote = '', quotedValue, bareValue] = groups;
	if (quotedValue !== undefined) return isPlainWord(quotedValue) ? match : `${name}${quote}${redaction}`;
	return bareValue !== undefined && looksRandom(bareValue) ? `${name}${redaction}` : match;
}

/** Whether a quoted value looks like a word or a placeholder, and not like a secret. */
function isPlainWord(value: string): boolean {
	return (
		value === redaction ||
		/^(?:[a-z]{1,12}|[A-Z_]{1,40}|\$\{?\w{1,60}\}?|<[^>]{0,60}>|[.*x]{1,80})$/.test(value)
	);
}

/** Whether an unquoted value has digits and letters, which is usual in secrets and rare in names of code. */
function looksRandom(value: string): boolean {
	if (value.includes(redaction) || value.startsWith('/') || value.startsWith('http')) return false;
	return /[A-Za-z]/.test(value) && /\d/.test(value) && !/^[\w$]{1,60}\.[A-Za-z]/.test(value);
}

/** Replaces PEM blocks of private keys; a block without an end is replaced up to the end of the text. */
function redactPrivateKeys(text: string): string {
	let result = '';
	let from = 0;
	for (let begin = text.indexOf(privateKeyBegin); begin >= 0; begin = text.indexOf(privateKeyBegin, from)) {
		const title = text.slice(begin + privateKeyBegin.length, begin + privateKeyBegin.length + 60);
		const end = text.indexOf(privateKeyEnd, begin);
		const isKey = title.split('-----', 1)[0]?.endsWith('PRIVATE KEY') === true;
		const nextFrom = isKey ? findKeyEnd(text, end) : begin + privateKeyBegin.length;
		result += text.slice(from, begin) + (isKey ? redaction : text.slice(begin, nextFrom));
		from = nextFrom;
	}
	return result + text.slice(from);
}

function findKeyEnd(text: string, end: number): number {
	if (end < 0) return text.length;
	const close = text.indexOf('-----', end + privateKeyEnd.length);
	return close < 0 ? text.length : close + 5;
}
