import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	addSource,
	createFactIndex,
	type FactIndex,
} from '../../../server/core/analysis/message/factIndex.ts';
import { listSourceTexts } from '../../../server/core/analysis/message/source.ts';
import { type FactKind, internFact } from '../../../server/core/analysis/text/scan.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { assistant, call, result, user } from './facts-sources.ts';

const isKnown = (factIndex: FactIndex, fact: string): boolean => {
	const before = factIndex.facts.kinds.length;
	return internFact(factIndex.facts, fact, { from: 0, to: fact.length }, 'identifier') < before;
};
const kindOf = (text: string, fact: string): FactKind | undefined => {
	const factIndex = createFactIndex();
	addSource(factIndex, user(1, text));
	const { kinds } = factIndex.facts;
	const knownCount = kinds.length;
	const number = internFact(factIndex.facts, fact, { from: 0, to: fact.length }, 'identifier');
	return number < knownCount ? kinds[number] : undefined;
};

describe('facts of a text', () => {
	it.each([
		['see src/auth/login.ts:33 for it', 'src/auth/login.ts', 'path'],
		['in /home/me/.config/app.json.', 'home/me/.config/app.json', 'path'],
		['call refreshToken() now', 'refreshToken', 'identifier'],
		['set MAX_RETRY_COUNT to', 'MAX_RETRY_COUNT', 'identifier'],
		['the my_table_name table', 'my_table_name', 'identifier'],
		['at 9f3c2ab17d on main', '9f3c2ab17d', 'hash'],
		['port 8080, or', '8080', 'number'],
		['took 1234.5 ms', '1234.5', 'number'],
		['(https://example.org/a?b=c)', 'https://example.org/a?b=c', 'url'],
		['x TypeError: x is not a function', 'TypeError: x is not a function', 'error'],
	])('in "%s", %s is a fact of its kind', (text, fact, kind) => {
		expect(kindOf(text, fact)).toBe(kind);
	});

	it.each(['plain words', '12 of 34', 'a/b', 'and/or', '...', '--flag'])('"%s" contains no facts', (text) => {
		const factIndex = createFactIndex();
		addSource(factIndex, user(1, text));
		expect(factIndex.facts.kinds.length).toBe(0);
	});

	it('facts are read from raw arguments, not from their JSON text', () => {
		const factIndex = createFactIndex();
		addSource(factIndex, assistant(1, '', call('Write', { content: 'one\n\tpathName = 1\n' })));
		expect(isKnown(factIndex, 'pathName')).toBe(true);
		expect(isKnown(factIndex, 'tpathName')).toBe(false);
	});

	it('facts are read after the line numbers of a read tool, which are not facts', () => {
		const factIndex = createFactIndex();
		const read = call('Read', { file_path: 'x.ts' });
		addSource(factIndex, result(2, read, '   986→const sessionStore = 1;\n   987→\n'));
		expect(isKnown(factIndex, 'sessionStore')).toBe(true);
		expect(isKnown(factIndex, '986')).toBe(false);
	});

	it('the segments of any text follow each other without overlap', () => {
		const word = fc.constantFrom(
			'src/a_b.ts',
			'fooBar',
			'4500',
			' ',
			'\n',
			'the lines of it',
			'😀',
			'é',
			'日本語',
			'"',
			'→',
			'\\',
		);
		fc.assert(
			fc.property(
				fc.array(fc.oneof(word, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 60 }),
				(words) => {
					const text = words.join('');
					const factIndex = createFactIndex();
					addSource(factIndex, user(1, text));
					let end = 0;
					for (const { from, to } of factIndex.entries.get(1)?.segments ?? []) {
						expect(from).toBeLessThan(to);
						expect(to).toBeLessThanOrEqual(text.length);
						expect(from).toBeGreaterThanOrEqual(end);
						end = to;
					}
				},
			),
			{ numRuns: 300 },
		);
	});
});

describe('fact index', () => {
	it('a fact index adds a message once', () => {
		const factIndex = createFactIndex();
		addSource(factIndex, user(1, 'fooBar stands here'));
		const entry = factIndex.entries.get(1);
		addSource(factIndex, user(1, 'fooBar stands here'));
		expect(factIndex.entries.get(1)).toBe(entry);
	});

	it('a fact index reads the head and the tail of a text that is too long', () => {
		const factIndex = createFactIndex();
		const filler = 'more filler\n'.repeat(200);
		addSource(factIndex, user(1, `headFact is here\n${filler}middleFact\n${filler}the tailFact`), 1000);
		expect(['headFact', 'middleFact', 'tailFact'].map((fact) => isKnown(factIndex, fact))).toEqual([
			true,
			false,
			true,
		]);
	});

	it('a fact index reads a megabyte of repeated text in linear time', () => {
		for (const piece of ['a', 'a/', 'Error ', '\n', '1\n', 'http://', '漢', 'x.y/']) {
			const factIndex = createFactIndex();
			const spent = processorClock();
			addSource(factIndex, user(1, piece.repeat(1_000_000 / piece.length)));
			expect(spent()).toBeLessThan(1500 * machineSlowness());
		}
	});

	it('each call of a message is a segment of its own, because its outcome belongs to it alone', () => {
		const factIndex = createFactIndex();
		const calls = ['/w/src/rows.ts', '/w/src/cells.ts'].map((path) => call('Read', { file_path: path }));
		addSource(factIndex, assistant(1, 'Let me look.', ...calls));
		const [{ text = '' } = {}] = listSourceTexts(assistant(1, 'Let me look.', ...calls));
		const segments = factIndex.entries.get(1)?.segments ?? [];
		expect(segments.map(({ from, to }) => text.slice(from, to))).toEqual([
			'Let me look.',
			'Read /w/src/rows.ts',
			'Read /w/src/cells.ts',
		]);
	});

	it('partsOf appends the tool and its short arguments to the text', () => {
		const source = assistant(1, 'Let me look.', call('Read', { file_path: '/folder/with/b.ts', limit: 20 }));
		expect(listSourceTexts(source)).toEqual([
			{ text: 'Let me look.\nRead /folder/with/b.ts limit=20', heads: [{ from: 13, call: 0 }] },
		]);
	});
});
