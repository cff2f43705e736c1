/** Returns whether a semantic version is newer than another, ignoring build metadata; false if either is invalid. */
export function isNewerVersion(version: string, than: string): boolean {
	const [one, other] = [parseVersion(version), parseVersion(than)];
	if (one === undefined || other === undefined) return false;
	for (const [index, number] of one.numbers.entries()) {
		const difference = number - (other.numbers[index] ?? 0);
		if (difference !== 0) return difference > 0;
	}
	return comparePrereleases(one.prerelease, other.prerelease) > 0;
}

function parseVersion(version: string): { numbers: number[]; prerelease: string[] } | undefined {
	const [, numbers, prerelease] = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(version) ?? [];
	if (numbers === undefined) return undefined;
	return { numbers: numbers.split('.').map(Number), prerelease: prerelease?.split('.') ?? [] };
}

/** Compares by section 11 of https://semver.org: a release is above its prereleases. */
function comparePrereleases(one: readonly string[], other: readonly string[]): number {
	if (one.length === 0 || other.length === 0) return other.length - one.length;
	for (const [index, left] of one.entries()) {
		const right = other[index];
		if (right === undefined) return 1;
		const difference = compareIdentifiers(left, right);
		if (difference !== 0) return difference;
	}
	return one.length - other.length;
}

function compareIdentifiers(left: string, right: string): number {
	const [isLeftNumber, isRightNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
	if (isLeftNumber && isRightNumber) return Number(left) - Number(right);
	if (isLeftNumber !== isRightNumber) return isLeftNumber ? -1 : 1;
	return left < right ? -1 : Number(left > right);
}
