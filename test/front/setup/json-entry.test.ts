import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { addEntry, readEntry, removeEntry } from '../../../server/front/install/parts/jsonText.ts';

const entry = ['mcpServers', 'contextd'] as const;
const value = { command: 'contextd', args: ['mcp'] };
const styles = ['\t', '  ', '    ', ''];

// Two slashes begin no comment in a string.
const name = fc
	.oneof(fc.string(), fc.constant('https://x.example'))
	.filter((key) => !['contextd', '__proto__'].includes(key));
const servers = fc.dictionary(
	name,
	fc.oneof(fc.string(), fc.dictionary(name, fc.integer(), { noNullPrototype: true })),
	{
		minKeys: 1,
		noNullPrototype: true,
	},
);
const settings = fc
	.tuple(
		fc.dictionary(
			name.filter((key) => key !== 'mcpServers'),
			fc.oneof(fc.string(), fc.integer(), fc.array(fc.boolean())),
			{ minKeys: 1, noNullPrototype: true },
		),
		fc.option(servers),
	)
	.map(([others, own]) => (own === null ? others : { ...others, mcpServers: own }));

/** Adds a comment after each line of a JSON text, and a comma after the last member of each object. */
function commented(text: string): string {
	return text
		.split('\n')
		.map((line) => (/^\s*[}\]]/.test(line) ? line : `${line} // says "{" and }`))
		.join('\n');
}

describe('an entry of a JSON file', () => {
	it('an entry is added and removed again, in any style of JSON, and every other byte stays', () => {
		fc.assert(
			fc.property(settings, fc.constantFrom(...styles), fc.boolean(), (before, style, hasComments) => {
				const plain = JSON.stringify(before, null, style);
				const text = hasComments && style !== '' ? commented(plain) : plain;
				const changed = addEntry(text, entry, value);
				expect(readEntry(changed, entry)).toEqual(value);
				expect(parse(changed)).toEqual({
					...before,
					mcpServers: { ...(before as { mcpServers?: object }).mcpServers, contextd: value },
				});
				expect(removeEntry(changed, entry, !('mcpServers' in before))).toBe(text);
			}),
		);
	});

	it.each(['{ "mcpServers": {} }', '{\n  "mcpServers": {\n  }\n}\n', '{}', '{ // nothing yet\n}', ''])(
		'an entry is added to the empty settings %j, and removed with nothing left of it',
		(text) => {
			const changed = addEntry(text, entry, value);
			expect(parse(changed)).toEqual({ mcpServers: { contextd: value } });
			expect(parse(removeEntry(changed, entry, false))).toEqual({ mcpServers: {} });
			expect(parse(removeEntry(changed, entry, true))).toEqual({});
		},
	);

	it('an entry is removed from between, behind and before others, with exactly one of the commas', () => {
		const own = '"contextd": {"command": "contextd"}';
		for (const [text, rest] of [
			[`{"mcpServers": {"a": 1, ${own}, "b": 2}}`, '{"mcpServers": {"a": 1, "b": 2}}'],
			[`{"mcpServers": {"a": 1, ${own}}}`, '{"mcpServers": {"a": 1}}'],
			[`{"mcpServers": {"a": 1, // a\n${own}}}`, '{"mcpServers": {"a": 1 // a\n}}'],
			[`{"mcpServers": {${own}, "b": 2,}}`, '{"mcpServers": { "b": 2,}}'],
			[`{"mcpServers": { // all\n${own}, "b": 2}}`, '{"mcpServers": { // all\n "b": 2}}'],
			[`{"mcpServers": {${own},}}`, '{"mcpServers": {}}'],
			['{"mcpServers": {"a": 1}}', '{"mcpServers": {"a": 1}}'],
		] as const) {
			expect(removeEntry(text, entry, false)).toBe(rest);
		}
	});

	it('throws with the reason for a text that is no JSON object, or whose group is none', () => {
		expect(() => readEntry('{\n "a": }', entry)).toThrow('is not valid JSON (line 2: ValueExpected)');
		expect(() => readEntry('[]', entry)).toThrow('is not a JSON object');
		expect(() => readEntry('{"mcpServers": []}', entry)).toThrow('has "mcpServers" that is not an object');
	});
});
