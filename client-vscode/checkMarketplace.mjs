/**
 * Checks an extension against the rules of the Visual Studio Marketplace and of Open VSX that can be checked offline:
 * https://code.visualstudio.com/api/working-with-extensions/publishing-extension and the manifest reference there,
 * what vsce checks, and Open VSX's ExtensionValidator and its wiki page "Publishing Extensions".
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';

const categories = new Set([
	...['AI', 'Azure', 'Chat', 'Data Science', 'Debuggers', 'Education', 'Extension Packs', 'Formatters'],
	...['Keymaps', 'Language Packs', 'Linters', 'Machine Learning', 'Notebooks', 'Other'],
	...['Programming Languages', 'SCM Providers', 'Snippets', 'Testing', 'Themes', 'Visualization'],
]);
/** Maximum characters of members that marketplaces show, by the rules of Open VSX. */
const maxCharacters = { displayName: 255, description: 2048, license: 255 };
const maxKeywords = 30;
const maxKeywordCharacters = 255;
/** Minimum width and height of the icon, in pixels. */
const minIconSide = 128;
/** Some of the hosts whose SVG badges vsce accepts. */
const badgeHosts = new Set(['img.shields.io', 'badgen.net', 'codecov.io', 'vsmarketplacebadges.dev']);
const controlPattern = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u;
const secretPattern = /(^|\/)(\.env(\..*)?|\.npmrc|\.netrc|id_(rsa|ed25519)|[^/]*\.(pem|pfx|p12|key))$/i;
const secretTexts = {
	'a private key': /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w+/=\s]{50}/,
	'an npm token': /\bnpm_[0-9A-Za-z]{36}\b/,
	'a GitHub token': /\bgh[pousr]_[0-9A-Za-z]{36}\b/,
	'an AWS key': /\bAKIA[0-9A-Z]{16}\b/,
	'an Azure DevOps token': /\b[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}\b/,
};
const templatePattern = /This is the README for your extension/;

/** Reads the manifest of an extension's folder, and in `texts` the page and the changelog by their names. */
async function readExtension(folder) {
	const readText = (name) => readFile(path.join(folder, name), 'utf8').catch(() => '');
	const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
	const nls = JSON.parse((await readText('package.nls.json')) || '{}');
	return {
		folder,
		manifest: translate(manifest, nls),
		texts: { 'README.md': await readText('README.md'), 'CHANGELOG.md': await readText('CHANGELOG.md') },
	};
}

/** Replaces the `%keys%` of a manifest with their texts; a key without a text remains. */
function translate(value, nls) {
	if (typeof value === 'string') return value.replace(/^%(.+)%$/, (key, name) => nls[name] ?? key);
	if (Array.isArray(value)) return value.map((item) => translate(item, nls));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, translate(item, nls)]));
}

/** Returns a list with the line if the rule is broken, otherwise an empty list. */
function unless(isKept, line) {
	return isKept ? [] : [line];
}

function isAddress(text, protocols = ['https:']) {
	return typeof text === 'string' && URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function checkIdentity({ manifest: { name, publisher, version, engines = {}, enabledApiProposals } }) {
	const id = /^[a-z0-9][a-z0-9-]*$/;
	return [
		...unless(
			id.test(name ?? ''),
			`"name" is ${JSON.stringify(name)}; expected lower-case letters, digits and hyphens`,
		),
		...unless(
			id.test(publisher ?? '') && publisher !== 'vscode-samples',
			`"publisher" is ${JSON.stringify(publisher)}; expected the id of your own publisher`,
		),
		...unless(
			/^\d+\.\d+\.\d+$/.test(version),
			`"version" is ${JSON.stringify(version)}; expected major.minor.patch without a suffix`,
		),
		...unless(
			/^(\^|>=)?\d+\.\d+\.\d+$/.test(engines.vscode),
			`"engines.vscode" is ${JSON.stringify(engines.vscode)}; expected a version such as ^1.100.0`,
		),
		...unless(!enabledApiProposals?.length, '"enabledApiProposals" names proposed APIs; remove it'),
	];
}

function checkTexts({ manifest }) {
	const missing = ['displayName', 'description', 'license'].filter((name) => !manifest[name]);
	const untranslated = JSON.stringify(manifest).match(/"%[\w.-]+%"/g) ?? [];
	return [
		...missing.map((name) => `"${name}" is missing`),
		...untranslated.map((key) => `${key} has no text in package.nls.json`),
		...Object.entries(maxCharacters).flatMap(([name, max]) => [
			...unless((manifest[name] ?? '').length <= max, `"${name}" has more than ${max} characters`),
			...unless(!controlPattern.test(manifest[name] ?? ''), `"${name}" has control characters`),
		]),
	];
}

function checkSearch({ manifest: { categories: own = [], keywords = [] } }) {
	return [
		...unless(own.length > 0, '"categories" is empty'),
		...own
			.filter((name) => !categories.has(name))
			.map((name) => `"categories" has ${JSON.stringify(name)}, which no marketplace has`),
		...unless(
			keywords.length <= maxKeywords,
			`"keywords" has ${keywords.length} entries; expected at most ${maxKeywords}`,
		),
		...unless(new Set(keywords).size === keywords.length, '"keywords" has an entry twice'),
		...keywords
			.filter((word) => !word.trim() || word.length > maxKeywordCharacters || controlPattern.test(word))
			.map(
				(word) => `"keywords" has ${JSON.stringify(word)}; expected 1 to ${maxKeywordCharacters} characters`,
			),
	];
}

function checkLooks({ manifest: { galleryBanner = {}, pricing, preview, sponsor, qna, badges = [] } }) {
	return [
		...unless(
			/^#[0-9a-f]{6}$/i.test(galleryBanner.color ?? '#000000'),
			`"galleryBanner.color" is ${JSON.stringify(galleryBanner.color)}; expected a color such as #1f2430`,
		),
		...unless(
			['dark', 'light', undefined].includes(galleryBanner.theme),
			`"galleryBanner.theme" is ${JSON.stringify(galleryBanner.theme)}; expected dark or light`,
		),
		...unless(
			['Free', 'Trial', undefined].includes(pricing),
			`"pricing" is ${JSON.stringify(pricing)}; expected Free or Trial`,
		),
		...unless(['boolean', 'undefined'].includes(typeof preview), '"preview" is not true or false'),
		...unless(
			sponsor === undefined || isAddress(sponsor.url, ['https:', 'http:']),
			'"sponsor.url" is not an http or https address',
		),
		...unless(
			['marketplace', false, undefined].includes(qna) || isAddress(qna),
			`"qna" is ${JSON.stringify(qna)}; expected "marketplace", false or an https address`,
		),
		...badges
			.filter(({ url }) => !isPicture(url))
			.map(({ url }) => `the badge ${url} is not an https picture`),
	];
}

/** Returns whether a page may show the picture: from an https address, and an SVG only from the hosts of badges. */
function isPicture(address) {
	if (!isAddress(address)) return false;
	const { host, pathname } = new URL(address);
	return (
		!/\.svg$/i.test(pathname) ||
		badgeHosts.has(host) ||
		/^\/[^/]+\/[^/]+\/actions\/.*badge\.svg$/.test(pathname)
	);
}

function checkPages({ texts }) {
	const pictures = /!\[[^\]]*\]\(([^)\s]+)|<(?:img|video)\b[^>]*?\ssrc=["']([^"']+)/g;
	return [
		...unless(texts['README.md'].trim() !== '', 'README.md is missing or empty'),
		...unless(!templatePattern.test(texts['README.md']), 'README.md has text of the template'),
		...Object.entries(texts).flatMap(([name, text]) => [
			...unless(!/<svg\b/i.test(text), `${name} has an <svg> element`),
			...[...text.matchAll(pictures)]
				.map(([, markdown, html]) => markdown ?? html)
				.filter((address) => !isPicture(address))
				.map((address) => `${name} shows ${address}; expected an https address, and no SVG`),
		]),
	];
}

/** Returns width and height of a PNG in pixels; null for other files (RFC 2083, IHDR). */
function readPngSize(bytes) {
	if (bytes.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n') return null;
	return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

async function checkIcon({ folder, files, manifest: { icon } }) {
	if (!icon) return ['"icon" is missing'];
	if (!files.includes(icon)) return [`"icon" names ${icon}, which is not packed`];
	const size = readPngSize(await readFile(path.join(folder, icon)));
	if (size === null) return [`${icon} is not a PNG`];
	return unless(
		size.width >= minIconSide && size.width === size.height,
		`${icon} has ${size.width}×${size.height} pixels; expected a square of at least ${minIconSide}×${minIconSide}`,
	);
}

function checkEntry({ files, manifest }) {
	const { main, activationEvents = [], contributes = {} } = manifest;
	const walkthroughs = contributes.walkthroughs ?? [];
	const pictures = walkthroughs
		.flatMap(({ steps }) => steps.flatMap(({ media }) => Object.values(listImages(media))))
		.filter((name) => !files.includes(name));
	return [
		...unless(files.includes(path.posix.normalize(main ?? '')), `"main" names ${main}, which is not packed`),
		...unless(activationEvents.length > 0, '"activationEvents" is missing'),
		...unless(
			!activationEvents.includes('*'),
			'"activationEvents" has "*", which delays the start of each window',
		),
		...pictures.map((name) => `a walkthrough shows ${name}, which is not packed`),
	];
}

function listImages({ image = {} }) {
	return typeof image === 'string' ? { image } : image;
}

function checkLicense({ files }) {
	return unless(
		files.some((name) => /^LICENSE(\.(md|txt))?$/i.test(name)),
		'no LICENSE file is packed, which Open VSX requires',
	);
}

async function checkSecrets({ folder, files }) {
	const lines = files.filter((name) => secretPattern.test(name)).map((name) => `${name} may contain secrets`);
	for (const name of files.filter((file) => /\.(cjs|js|json|md|txt|css|ts)$/.test(file))) {
		const text = await readFile(path.join(folder, name), 'utf8');
		for (const [what, pattern] of Object.entries(secretTexts))
			if (pattern.test(text)) lines.push(`${name} contains ${what}`);
	}
	return lines;
}

/** Facts that only the person who publishes knows. */
function listMissingFacts({ manifest, texts }) {
	return [
		...unless(
			manifest.repository,
			'"repository" in the package.json of the root. Until then the page has no links to source, issues and questions',
		),
		...unless(
			/!\[/.test(texts['README.md']),
			'an https address for pictures, which follows from "repository" at github.com, gitlab.com or codeberg.org. Until then the page has no pictures',
		),
		`the publisher "${manifest.publisher}": create it at the Marketplace and as a namespace at Open VSX (whose publisher agreement must be signed), and look whether "${manifest.name}" and "${manifest.displayName}" are free there`,
	];
}

const manifestChecks = [checkIdentity, checkTexts, checkSearch, checkLooks, checkPages];
const fileChecks = [checkIcon, checkEntry, checkLicense, checkSecrets];

/** Returns the lines about packed files, which vsce lists. If vsce refuses the manifest, the only line is its error. */
async function checkFiles(extension) {
	let files;
	try {
		files = await listFiles({ cwd: extension.folder, packageManager: PackageManager.None });
	} catch (error) {
		return [error.message];
	}
	const lines = await Promise.all(fileChecks.map((check) => check({ ...extension, files })));
	return lines.flat();
}

/**
 * Checks the extension in `folder`. Returns a line for each broken rule, and for each fact that the person who publishes
 * must still set. Checks the files that would be packed only if the manifest is right. Rejects if the folder has no
 * readable manifest.
 */
export async function checkExtension(folder) {
	const extension = await readExtension(folder);
	const broken = manifestChecks.flatMap((check) => check(extension));
	return {
		broken: broken.length > 0 ? broken : await checkFiles(extension),
		missing: listMissingFacts(extension),
	};
}
