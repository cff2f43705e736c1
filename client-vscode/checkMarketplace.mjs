/**
 * Checks an extension against rules of the Visual Studio Marketplace and of Open VSX that can be checked offline and that vsce
 * does not check when it packs the extension. The rules are those of
 * https://code.visualstudio.com/api/working-with-extensions/publishing-extension with its manifest reference, and of Open VSX's
 * ExtensionValidator and wiki page "Publishing Extensions".
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';

const knownCategories = new Set([
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
const controlPattern = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u;

/** Reads the manifest of an extension's folder, with texts instead of keys, and its page; an empty text if it has no page. */
async function readExtension(folder) {
	const readText = (name) => readFile(path.join(folder, name), 'utf8').catch(() => '');
	const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
	const nls = JSON.parse((await readText('package.nls.json')) || '{}');
	return { folder, manifest: translate(manifest, nls), page: await readText('README.md') };
}

/** Replaces the `%keys%` of a manifest with their texts; a key without a text remains. */
function translate(value, nls) {
	if (typeof value === 'string') return value.replace(/^%(.+)%$/, (key, name) => nls[name] ?? key);
	if (Array.isArray(value)) return value.map((item) => translate(item, nls));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, translate(item, nls)]));
}

/** Returns a list with `line` if its rule is broken, otherwise an empty list. */
function listUnless(isFollowed, line) {
	return isFollowed ? [] : [line];
}

function checkTexts({ manifest, page }) {
	const missing = ['displayName', 'description', 'license'].filter((name) => !manifest[name]);
	const unknownKeys = JSON.stringify(manifest).match(/"%[\w.-]+%"/g) ?? [];
	return [
		...missing.map((name) => `"${name}" is missing`),
		...unknownKeys.map((key) => `${key} has no text in package.nls.json`),
		...Object.entries(maxCharacters).flatMap(([name, max]) => [
			...listUnless((manifest[name] ?? '').length <= max, `"${name}" has more than ${max} characters`),
			...listUnless(!controlPattern.test(manifest[name] ?? ''), `"${name}" has control characters`),
		]),
		...listUnless(page.trim() !== '', 'README.md is missing or empty'),
	];
}

function checkSearch({ manifest: { categories = [], keywords = [] } }) {
	return [
		...listUnless(categories.length > 0, '"categories" is empty'),
		...categories
			.filter((name) => !knownCategories.has(name))
			.map((name) => `"categories" has ${JSON.stringify(name)}, which no marketplace has`),
		...listUnless(
			keywords.length <= maxKeywords,
			`"keywords" has ${keywords.length} entries; expected at most ${maxKeywords}`,
		),
		...listUnless(new Set(keywords).size === keywords.length, '"keywords" has an entry twice'),
		...keywords
			.filter((word) => !word.trim() || word.length > maxKeywordCharacters || controlPattern.test(word))
			.map(
				(word) => `"keywords" has ${JSON.stringify(word)}; expected 1 to ${maxKeywordCharacters} characters`,
			),
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
	return listUnless(
		size.width >= minIconSide && size.width === size.height,
		`${icon} has ${size.width}×${size.height} pixels; expected a square of at least ${minIconSide}×${minIconSide}`,
	);
}

function checkWalkthroughs({ files, manifest: { contributes = {} } }) {
	const media = (contributes.walkthroughs ?? []).flatMap(({ steps }) => steps.map((step) => step.media));
	return media
		.flatMap(listImages)
		.filter((name) => !files.includes(name))
		.map((name) => `a walkthrough shows ${name}, which is not packed`);
}

/** Returns the pictures of a step: one for all themes, or one for each kind of theme. */
function listImages({ image = {} }) {
	return typeof image === 'string' ? [image] : Object.values(image);
}

function checkLicense({ files }) {
	return listUnless(
		files.some((name) => /^LICENSE(\.(md|txt))?$/i.test(name)),
		'no LICENSE file is packed, which Open VSX requires',
	);
}

/** Returns a line for each missing fact that only the publisher knows. */
function listMissingFacts({ manifest, page }) {
	return [
		...listUnless(
			manifest.repository,
			'"repository" in the package.json of the root. Until then the page has no links to source, issues and questions',
		),
		...listUnless(
			/!\[/.test(page),
			'an https address for pictures, which follows from "repository" at github.com, gitlab.com or codeberg.org. Until then the page has no pictures',
		),
		`the publisher "${manifest.publisher}": create it at the Marketplace and as a namespace at Open VSX (whose publisher agreement must be signed), and check whether "${manifest.name}" and "${manifest.displayName}" are free there`,
	];
}

const fileChecks = [checkIcon, checkWalkthroughs, checkLicense];

/** Returns a line for each rule that the packed files break. If vsce refuses the manifest, the only line is its error. */
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
	const brokenManifestRules = [...checkTexts(extension), ...checkSearch(extension)];
	return {
		brokenRules: brokenManifestRules.length > 0 ? brokenManifestRules : await checkFiles(extension),
		missingFacts: listMissingFacts(extension),
	};
}
