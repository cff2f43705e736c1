import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeMember, setMember } from '../../../server/front/install/parts/jsonText.ts';

const styles = ['\t', '  ', '    ', ''];
const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
const object = fc.dictionary(fc.string(), fc.oneof(value, fc.dictionary(fc.string(), value)));

describe('a member of a JSON text', () => {
	it('withMember keeps the rest of a JSON text, in any style', () => {
		fc.assert(
			fc.property(object, fc.string(), value, fc.constantFrom(...styles), (values, name, set, style) => {
				const text = JSON.stringify(values, null, style);
				const changed = setMember(text, [name], set);
				const expected = Object.assign(Object.create(null), values, { [name]: set });
				expect(JSON.parse(changed)).toEqual({ ...expected });
				if (!(name in values)) expect(JSON.parse(removeMember(changed, [name]))).toEqual(values);
			}),
		);
	});

	it('withoutMember restores the exact text from before withMember', () => {
		for (const text of [
			'{\n\t"model": "opus",\n\n\t"env": { "A": "{}" }\n}\n',
			'{"a":1, "b" : [1,  2]}',
			'{\r\n  "a": "x\\"}"\r\n}',
		]) {
			const set = setMember(text, ['statusLine'], { type: 'command', command: 'c' });
			expect(JSON.parse(set).statusLine).toEqual({ type: 'command', command: 'c' });
			expect(removeMember(set, ['statusLine'])).toBe(text);
		}
	});

	it('withMember writes a member in the style of its neighbours, and changes nothing else', () => {
		const text = '{\n\t"z" : 1,\n\t"enabledPlugins": {\n\t\t"a@b": true\n\t}\n}\n';
		expect(setMember(text, ['enabledPlugins', 'c@d'], true)).toBe(
			'{\n\t"z" : 1,\n\t"enabledPlugins": {\n\t\t"a@b": true,\n\t\t"c@d": true\n\t}\n}\n',
		);
		expect(setMember('{}', ['a', 'b'], 1)).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
	});

	it('withoutMember removes a first, middle, last, only or missing member', () => {
		const text = '{"a": 1, "b": {"c": [1, 2]}, "d": "e"}';
		expect(removeMember(text, ['a'])).toBe('{"b": {"c": [1, 2]}, "d": "e"}');
		expect(removeMember(text, ['b'])).toBe('{"a": 1, "d": "e"}');
		expect(removeMember(text, ['d'])).toBe('{"a": 1, "b": {"c": [1, 2]}}');
		expect(removeMember(text, ['b', 'c'])).toBe('{"a": 1, "b": {}, "d": "e"}');
		expect(removeMember(text, ['b', 'nothing'])).toBe(text);
	});

	it('withMember sets the later of two members with the same name, which readers of JSON use', () => {
		expect(setMember('{"a": 1, "a": {"b": 2}}', ['a', 'b'], 3)).toBe('{"a": 1, "a": {"b": 3}}');
	});

	it('withMember throws for a text that is no JSON, or a path through a value that is no object', () => {
		expect(() => setMember('{ // no\n}', ['a'], 1)).toThrow(SyntaxError);
		expect(() => setMember('{"a": 1}', ['a', 'b'], 1)).toThrow(TypeError);
	});
});
