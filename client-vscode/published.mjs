/** Creates the manifest and page to publish. All addresses are derived from `repository` of the root package. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Members of the manifest that are not published, because only a checkout needs them. */
const checkoutMembers = ['private', 'scripts', 'devDependencies'];
/** Matches a paragraph that consists of one picture. */
const picturePattern = /^!\[[^\]]*\]\(images\/[\w-]+\.(?:png|gif)\)\n+/gm;
/** Where each host serves the files of a repository, as a path below the repository's address. */
const rawPaths = { 'github.com': 'raw/HEAD', 'gitlab.com': '-/raw/HEAD', 'codeberg.org': 'raw/HEAD' };

/**
 * Returns the https address of the repository that the package.json in `root` names, without `.git`; null if it names
 * none. Throws if it names one that is not at an https address.
 */
export async function readRepositoryAddress(root) {
	const { repository } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
	const named = typeof repository === 'string' ? repository : repository?.url;
	if (!named) return null;
	const address = named.replace(/^git\+/, '').replace(/\.git$/, '');
	if (!URL.canParse(address) || new URL(address).protocol !== 'https:')
		throw new Error(`"repository" in package.json is "${named}"; expected an https address`);
	return address;
}

/** Returns the address under which the files of `client-vscode/` are served; null if the host is unknown. */
function getFilesAddress(address) {
	const rawPath = address && rawPaths[new URL(address).host];
	return rawPath ? `${address}/${rawPath}/client-vscode` : null;
}

/** Returns the manifest with links to the repository, if there is one, and without members that only a checkout needs. */
export function createPublishedManifest(manifest, address) {
	const published = Object.fromEntries(
		Object.entries(manifest).filter(([name]) => !checkoutMembers.includes(name)),
	);
	if (!address) return published;
	return {
		...published,
		repository: { type: 'git', url: `${address}.git`, directory: 'client-vscode' },
		homepage: `${address}/tree/HEAD/client-vscode#readme`,
		bugs: { url: `${address}/issues` },
		qna: `${address}/issues`,
	};
}

/**
 * Returns the page with https addresses for its pictures. Without an address it has no pictures: editors and
 * marketplaces load pictures only from https addresses.
 */
export function createPublishedPage(text, address) {
	const base = getFilesAddress(address);
	if (base === null) return text.replace(picturePattern, '');
	return text.replace(picturePattern, (paragraph) => paragraph.replace('](images/', `](${base}/images/`));
}
