/**
 * Returns what is wrong with a version of Node, in one sentence; undefined if the version is new enough.
 * @param version as in `process.versions.node`, such as `18.20.8`
 * @param min the oldest supported version, such as `20.19`
 */
export function describeNodeProblem(version: string, min: string): string | undefined {
	const [major, minor] = parseVersionNumbers(version);
	const [minMajor, minMinor] = parseVersionNumbers(min);
	if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined;
	return `contextd needs Node ${min} or later; this is ${version}`;
}

function parseVersionNumbers(version: string): [major: number, minor: number] {
	const [major, minor] = version.split('.');
	return [Number(major), Number(minor)];
}
