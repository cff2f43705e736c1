import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNewerVersion } from '../../server/daemon/isNewerVersion.ts';

/** The versions of section 11 of https://semver.org in ascending order, and numbers of different lengths. */
const ascending = [
	...['0.9.0', '0.10.0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'],
	...['1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1', '1.2.0', '2.0.0'],
];

describe('isNewerVersion', () => {
	it('isNewerVersion orders versions by semantic versioning', () => {
		for (const [index, version] of ascending.entries()) {
			for (const [other, than] of ascending.entries())
				expect(isNewerVersion(version, than)).toBe(index > other);
		}
	});

	it('isNewerVersion is false for versions that differ only in the build, and for texts that are no version', () => {
		expect(isNewerVersion('1.0.0+b', '1.0.0+a')).toBe(false);
		fc.assert(
			fc.property(fc.string(), (text) => !isNewerVersion(text, text) && !isNewerVersion('1.0', text)),
		);
	});
});
