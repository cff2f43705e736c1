import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withMember, withoutMember } from '../../../server/front/install/parts/jsonText.ts';

const styles = ['\t', '  ', '    ', ''];
const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
const object = fc.dictionary(fc.string(), fc.oneof(value, fc.dictionary(fc.string(), value)));

describe('a member of a JSON text', () => {
	it('is set with all else as it was, however the text is written', () => {
		fc.assert(
			fc.property(object, fc.string(), value, fc.constantFrom(...styles), (values, name, set, style) => {
				const text = JSON.stringify(values, null, style);
				const changed = withMember(text, [name], set);
				const expected = Object.assign(Object.create(null), values, { [name]: set });
				expect(JSON.parse(changed)).toEqual({ ...expected });
				if (!(name in values)) expect(JSON.parse(withoutMember(changed, [name]))).toEqual(values);
			}),
		);
	});

	it('leaves the very text behind where it is taken out of what it was put into', () => {
		for (const text of [
			'{\n\t"model": "opus",\n\n\t"env": { "A": "{}" }\n}\n',
			'{"a":1, "b" : [1,  2]}',
			'{\r\n  "a": "x\\"}"\r\n}',
		]) {
			const set = withMember(text, ['statusLine'], { type: 'command', command: 'c' });
			expect(JSON.parse(set).statusLine).toEqual({ type: 'command', command: 'c' });
			expect(withoutMember(set, ['statusLine'])).toBe(text);
		}
	});

	it('is written as its neighbours are, and the rest stays to the letter', () => {
		const text = '{\n\t"z" : 1,\n\t"enabledPlugins": {\n\t\t"a@b": true\n\t}\n}\n';
		expect(withMember(text, ['enabledPlugins', 'c@d'], true)).toBe(
			'{\n\t"z" : 1,\n\t"enabledPlugins": {\n\t\t"a@b": true,\n\t\t"c@d": true\n\t}\n}\n',
		);
		expect(withMember('{}', ['a', 'b'], 1)).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
	});

	it('is taken out from every place among its neighbours', () => {
		const text = '{"a": 1, "b": {"c": [1, 2]}, "d": "e"}';
		expect(withoutMember(text, ['a'])).toBe('{"b": {"c": [1, 2]}, "d": "e"}');
		expect(withoutMember(text, ['b'])).toBe('{"a": 1, "d": "e"}');
		expect(withoutMember(text, ['d'])).toBe('{"a": 1, "b": {"c": [1, 2]}}');
		expect(withoutMember(text, ['b', 'c'])).toBe('{"a": 1, "b": {}, "d": "e"}');
		expect(withoutMember(text, ['b', 'nothing'])).toBe(text);
	});

	it('is set where a reader of JSON looks for it, if its name stands there twice', () => {
		expect(withMember('{"a": 1, "a": {"b": 2}}', ['a', 'b'], 3)).toBe('{"a": 1, "a": {"b": 3}}');
	});

	it('is not looked for in what is no JSON', () => {
		expect(() => withMember('{ // no\n}', ['a'], 1)).toThrow(SyntaxError);
		expect(() => withMember('{"a": 1}', ['a', 'b'], 1)).toThrow(TypeError);
	});
});
