import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNewer } from '../../server/daemon/isNewer.ts';

/** Section 11 of https://semver.org, in its order, and numbers of different length. */
const ascending = [
	...['0.9.0', '0.10.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'],
	...['1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '2.0.0'],
];

describe('a version', () => {
	it('is newer than those before it, and than no other', () => {
		for (const [index, version] of ascending.entries()) {
			for (const [other, than] of ascending.entries()) expect(isNewer(version, than)).toBe(index > other);
		}
	});

	it('is not newer than one that differs in its build alone, nor than what is no version', () => {
		expect(isNewer('1.0.0+b', '1.0.0+a')).toBe(false);
		fc.assert(fc.property(fc.string(), (text) => !isNewer(text, text) && !isNewer('1.0', text)));
	});
});
