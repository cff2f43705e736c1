/** Words that are hard to read, each with the words to use instead. */
const words = [
	{ rule: 'whoever', pattern: /\bwhoever\b/gi, instead: 'the caller, the client or the user' },
	{ rule: 'anew', pattern: /\banew\b/gi, instead: 'again' },
	{ rule: 'no more', pattern: /\bno\s+more\b(?!\s+than\b)/gi, instead: 'no longer or not again' },
	{ rule: 'so many', pattern: /\bso\s+many\b/gi, instead: 'many, or the name of the number' },
	{ rule: 'tells of', pattern: /\b(?:tells?|telling|told)\s+of\b/gi, instead: 'reports, lists or describes' },
	{
		rule: 'stands for',
		// Acronyms are exempt.
		pattern: /(?<!\b[A-Z]{2,9} )\b(?:[Ss]tands?|[Ss]tanding|[Ss]tood)\s+(?:in|for|of)\b/g,
		instead: 'is stored in, appears in or replaces',
	},
	{
		rule: 'as … has it',
		pattern: /\bas\s+(?:[^\s.,;:]+\s+){1,3}has\s+it\b/gi,
		instead: 'like, or name the source',
	},
	{ rule: 'where absent', pattern: /\bwhere\s+absent\b/gi, instead: 'if absent, or name the default' },
];

/** Finds the words of a text that break a rule. Returns them with their offsets. */
export function findWords(text) {
	return words.flatMap(({ rule, pattern, instead }) =>
		[...text.matchAll(pattern)].map((match) => ({
			rule,
			name: match[0].replaceAll(/\s+/g, ' '),
			offset: match.index,
			message: `say ${instead}`,
		})),
	);
}
