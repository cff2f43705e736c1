/**
 * Returns what is wrong with a version of Node, in one sentence; undefined if it is new enough.
 * @param version as in `process.versions.node`: `18.20.8`
 * @param least the oldest supported version: `20.19`
 */
export function nodeProblem(version: string, least: string): string | undefined {
	const [major, minor] = numbersOf(version);
	const [leastMajor, leastMinor] = numbersOf(least);
	if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
	return `contextd needs Node ${least} or later; this is ${version}`;
}

function numbersOf(version: string): [major: number, minor: number] {
	const [major, minor] = version.split('.');
	return [Number(major), Number(minor)];
}
