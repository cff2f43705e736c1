/** Builds the automaton of the calibrated estimate (server/core/measure/text/automaton.ts), whose states the weights belong to. */

/**
 * Maximum length of each kind of run; longer runs share one state. A run is a state: similar units, with what preceded a word or
 * capitals. `hasPrefix`: a space or a single sign precedes the run, which tokenizers put into the same piece. `isCapitalized`: the
 * word begins with a capital.
 */
const maxRunLength = {
	start: 1,
	word: 12,
	capitals: 6,
	digits: 3,
	punctuation: 10,
	spaces: 12,
	white: 6,
	lineEnds: 3,
	accented: 8,
	ideographs: 2,
	foreign: 2,
	cyrillic: 8,
	greek: 4,
	semitic: 4,
	pictures: 4,
	halves: 4,
};

/** The kind of run that a unit of a class extends or starts. Letters and digits of ASCII have rules of their own. */
const kindOfClass = {
	punctuation: 'punctuation',
	space: 'spaces',
	lineEnd: 'lineEnds',
	accented: 'accented',
	ideograph: 'ideographs',
	otherScript: 'foreign',
	otherWhitespace: 'white',
	cyrillic: 'cyrillic',
	greek: 'greek',
	semitic: 'semitic',
	symbol: 'pictures',
	surrogate: 'halves',
};

function createRun(kind, length, hasPrefix = false, isCapitalized = false) {
	return { kind, length: Math.min(length, maxRunLength[kind]), hasPrefix, isCapitalized };
}

/** Returns the run after reading a unit of a class in the run `current`. */
function advanceRun({ kind, length, hasPrefix, isCapitalized }, unitClass) {
	const isPrefix = kind === 'spaces' || kind === 'white' || (kind === 'punctuation' && length === 1);
	switch (unitClass) {
		case 'lowercase':
			if (kind === 'word') return createRun('word', length + 1, hasPrefix, isCapitalized);
			if (kind === 'capitals') return createRun('word', length + 1, hasPrefix, true);
			if (kind === 'accented') return createRun('accented', length + 1);
			return createRun('word', 1, isPrefix);
		case 'uppercase':
			return kind === 'capitals'
				? createRun('capitals', length + 1, hasPrefix)
				: createRun('capitals', 1, isPrefix);
		case 'digit':
			return createRun('digits', kind === 'digits' ? (length % 3) + 1 : 1);
		default: {
			const newKind = kindOfClass[unitClass];
			const continues = kind === newKind || (kind === 'word' && newKind === 'accented');
			return createRun(newKind, continues ? length + 1 : 1);
		}
	}
}

function formatRunName({ kind, length, hasPrefix, isCapitalized }) {
	return `${hasPrefix ? 'prefixed ' : ''}${isCapitalized ? 'capitalized ' : ''}${kind} ${length}`;
}

/**
 * Returns all states that are reachable from the start, which is the first: their names, and for each class the number of the next
 * state.
 * @param unitClassNames the classes of UTF-16 units in the order of their numbers
 */
export function buildStates(unitClassNames) {
	const runs = [createRun('start', 1)];
	const stateByName = new Map([[formatRunName(runs[0]), 0]]);
	const next = [];
	for (let state = 0; state < runs.length; state++) {
		next[state] = unitClassNames.map((unitClass) => {
			const target = advanceRun(runs[state], unitClass);
			const name = formatRunName(target);
			if (!stateByName.has(name)) {
				stateByName.set(name, runs.length);
				runs.push(target);
			}
			return stateByName.get(name);
		});
	}
	return runs.map((run, state) => ({ name: formatRunName(run), next: next[state] }));
}
