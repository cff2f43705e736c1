/** Derives from a pattern's structure the texts on which a backtracking matcher would take longest. */

import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

/** The parts of a text: a head, a unit that is repeated up to the wanted size, and a tail that prevents a match. */
export interface Attack {
	head: string;
	unit: string;
	tail: string;
}

/** Characters that are tried for an atom, so that sets and negated sets have an example. */
const commonCharacters = [
	'a',
	'0',
	' ',
	'\n',
	'\t',
	'A',
	'-',
	'.',
	'_',
	'/',
	'"',
	':',
	'<',
	'é',
	'字',
	'か',
	'!',
];
/** Number of repetitions above which a quantifier counts as unbounded. */
const manyRepetitions = 30;
/** Number of different units that are tried for one repeated atom. */
const unitsPerAtom = 3;

/**
 * Returns the attacks on a pattern. For each repetition in the pattern, some texts reach the repetition and then repeat text
 * that it accepts, and others reach it again and again. Further texts repeat what the whole pattern accepts.
 */
export function attacksOn(pattern: RegExp): Attack[] {
	const { pattern: tree } = parseRegExpLiteral(pattern);
	const examples = new Examples(pattern);
	const attacks = new Map<string, Attack>();
	const add = (head: string, unit: string, tail: string): void => {
		if (unit !== '') attacks.set(JSON.stringify([head, unit, tail]), { head, unit, tail });
	};
	for (const unit of [' ', '\n', 'a', '0']) add('', unit, '\0');
	for (const alternative of tree.alternatives) {
		const whole = alternative.elements.map((element) => examples.of(element)).join('');
		add('', whole, '\0');
		add('', `${whole.slice(0, -1)} `, '\0');
	}
	for (const { node, before } of repetitions(tree, examples)) {
		for (const unit of examples.severalOf(node.element)) {
			for (const tail of ['', '\0']) add(before, unit, tail);
			add('', before + unit, '\0');
			add('', unit, '\0');
			add(`\0${before}`, `${unit}\n`, '\0');
		}
	}
	return [...attacks.values()];
}

/** Returns the attack as a text of about `length` UTF-16 units. */
export function attackText({ head, unit, tail }: Attack, units: number): string {
	return head + unit.repeat(Math.max(1, Math.floor((units - head.length) / unit.length))) + tail;
}

interface Repetition {
	node: AST.Quantifier;
	/** A text that the pattern accepts up to this position. */
	before: string;
}

function repetitions(tree: AST.Pattern, examples: Examples): Repetition[] {
	const found: Repetition[] = [];
	const visit = (alternatives: readonly AST.Alternative[], before: string): void => {
		for (const { elements } of alternatives) {
			let text = before;
			for (const element of elements) {
				if (element.type === 'Quantifier' && element.max >= manyRepetitions)
					found.push({ node: element, before: text });
				const inner = element.type === 'Quantifier' ? element.element : element;
				if ('alternatives' in inner && Array.isArray(inner.alternatives)) visit(inner.alternatives, text);
				text += examples.of(element);
			}
		}
	};
	visit(tree.alternatives, '');
	return found;
}

/** Short texts that parts of one pattern accept. */
class Examples {
	readonly #flags: string;
	readonly #characters: readonly string[];

	constructor({ source, flags }: RegExp) {
		this.#flags = flags.replace(/[gy]/g, '');
		this.#characters = [...new Set([...commonCharacters, ...source])];
	}

	/** Returns a text that the part accepts; empty for assertions. */
	of(node: AST.Element): string {
		switch (node.type) {
			case 'Quantifier':
				return this.of(node.element).repeat(Math.min(Math.max(node.min, 0), manyRepetitions));
			case 'Group':
			case 'CapturingGroup':
				return (node.alternatives[0]?.elements ?? []).map((element) => this.of(element)).join('');
			case 'Assertion':
			case 'Backreference':
				return '';
			default:
				return this.#accepted(node)[0] ?? '';
		}
	}

	/** Returns several texts that the part accepts. */
	severalOf(node: AST.Element): string[] {
		if (node.type === 'Group' || node.type === 'CapturingGroup')
			return node.alternatives
				.slice(0, unitsPerAtom)
				.map(({ elements }) => elements.map((element) => this.of(element)).join(''));
		if (node.type === 'Quantifier' || node.type === 'Assertion' || node.type === 'Backreference')
			return [this.of(node)];
		return this.#accepted(node).slice(0, unitsPerAtom);
	}

	#accepted(
		node: AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass,
	): string[] {
		const atom = new RegExp(`^(?:${node.raw})$`, this.#flags);
		return this.#characters.filter((character) => atom.test(character));
	}
}
