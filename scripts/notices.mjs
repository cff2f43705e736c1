/**
 * Generates THIRD-PARTY-NOTICES.txt with the licences of all third-party code and data in the package and the extension. The build
 * writes the file; this script, run by itself, fails if the file is outdated.
 */
import { realpathSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleExtension } from '../client-vscode/build.mjs';
import { bundlePackage } from './bundles.mjs';

const scriptFile = fileURLToPath(import.meta.url);
const root = path.dirname(path.dirname(scriptFile));
const noticesFile = path.join(root, 'THIRD-PARTY-NOTICES.txt');
const separator = `\n\n${'-'.repeat(80)}\n\n`;

/** Descriptions of the data that the package contains from other packages. The metafiles of the bundles do not list these. */
const includedData = {
	'node_modules/gpt-tokenizer': 'the ranks of o200k_base',
	'node_modules/@anthropic-ai/tokenizer': 'the ranks of Claude 2',
	'node_modules/llm-zoo': 'figures of models',
	'node_modules/tokenlens': 'figures of models',
};

/** For packages without a licence text, a package of the same repository that contains the text. */
const licenceFolders = { 'node_modules/@ai-sdk/provider-utils': 'node_modules/@ai-sdk/provider' };

/** The real folder of the packages, relative to the root, because `node_modules` may be a link. */
const packagesFolder = path.relative(root, realpathSync(path.join(root, 'node_modules')));

/** Returns the folders of the packages with files in a bundle, relative to the root. */
function listPackages({ inputs }) {
	return Object.keys(inputs).flatMap((file) => {
		const [folder] = /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
		return folder === undefined ? [] : [folder.replace(packagesFolder, 'node_modules')];
	});
}

/** Returns the title of a package's notice, and the text of its licence. */
async function createNotice(folder) {
	const { name, version } = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
	const licenceFolder = path.join(root, licenceFolders[folder] ?? folder);
	const read = (file) => readFile(path.join(licenceFolder, file), 'utf8');
	const files = await readdir(licenceFolder);
	const names = files.filter((file) => /^(licen[cs]e|notice|third-?party)/i.test(file)).sort();
	if (names.length === 0) throw new Error(`${name} ${version} contains no text of its licence`);
	const data = includedData[folder] === undefined ? '' : `: ${includedData[folder]}`;
	const texts = await Promise.all(names.map(read));
	const licence = texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n');
	return { title: `${name} ${version}${data}`, licence };
}

/** Creates the text of the file from esbuild's metafiles of all bundles. Packages with the same licence share one notice. */
async function createNotices(metafiles) {
	const folders = new Set([...metafiles.flatMap(listPackages), ...Object.keys(includedData)]);
	const titlesByLicence = new Map();
	for (const { title, licence } of await Promise.all([...folders].map(createNotice)))
		titlesByLicence.set(licence, [...(titlesByLicence.get(licence) ?? []), title]);
	const notices = [...titlesByLicence]
		.map(([licence, titles]) => `${titles.sort().join('\n')}\n\n${licence}`)
		.sort();
	return `${['contextd holds code and data of these packages, each under its own licence.', ...notices].join(separator)}\n`;
}

/** Writes the file if its text has changed. */
export async function writeNotices(metafiles) {
	const text = await createNotices(metafiles);
	if (text !== (await readCurrentText())) await writeFile(noticesFile, text);
}

function readCurrentText() {
	return readFile(noticesFile, 'utf8').catch((error) => {
		if (error.code === 'ENOENT') return undefined;
		throw error;
	});
}

if (process.argv[1] === scriptFile) {
	const metafiles = [
		...(await bundlePackage({ write: false })),
		...(await bundleExtension({ write: false })),
	];
	if ((await createNotices(metafiles)) !== (await readCurrentText())) {
		console.error('THIRD-PARTY-NOTICES.txt is outdated; run npm run build');
		process.exitCode = 1;
	}
}
