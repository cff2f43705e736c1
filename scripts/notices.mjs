/**
 * Generates THIRD-PARTY-NOTICES.txt: the licences of all third-party code and data in the package and the extension.
 * The build writes it; run on its own, this script fails if the file is outdated.
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

/** Packages whose data is included; the metafiles of the bundles do not list them. */
const dataOf = {
	'node_modules/gpt-tokenizer': 'the ranks of o200k_base',
	'node_modules/@anthropic-ai/tokenizer': 'the ranks of Claude 2',
	'node_modules/llm-zoo': 'figures of models',
	'node_modules/tokenlens': 'figures of models',
};

/** Packages that ship without a licence text, each with a package of the same repository that contains it. */
const licensedAs = { 'node_modules/@ai-sdk/provider-utils': 'node_modules/@ai-sdk/provider' };

/** Where the packages are, relative to the root: the folder may be a link. */
const packages = path.relative(root, realpathSync(path.join(root, 'node_modules')));

/** Returns the folders of the packages with files in a bundle, relative to the root. */
function packagesIn({ inputs }) {
	return Object.keys(inputs).flatMap((file) => {
		const [folder] = /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
		return folder === undefined ? [] : [folder.replace(packages, 'node_modules')];
	});
}

async function noticeOf(folder) {
	const { name, version } = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
	const licensed = path.join(root, licensedAs[folder] ?? folder);
	const read = (file) => readFile(path.join(licensed, file), 'utf8');
	const files = await readdir(licensed);
	const texts = files.filter((file) => /^(licen[cs]e|notice|third-?party)/i.test(file)).sort();
	if (texts.length === 0) throw new Error(`${name} ${version} contains no text of its licence`);
	const data = dataOf[folder] === undefined ? '' : `: ${dataOf[folder]}`;
	const parts = [`${name} ${version}${data}`, ...(await Promise.all(texts.map(read)))];
	return parts.map((part) => part.replaceAll('\r\n', '\n').trim()).join('\n\n');
}

/** Returns the whole text, from esbuild's metafiles of all bundles. */
async function noticesText(metafiles) {
	const folders = new Set([...metafiles.flatMap(packagesIn), ...Object.keys(dataOf)]);
	const notices = (await Promise.all([...folders].map(noticeOf))).sort();
	return `${['contextd holds code and data of these packages, each under its own licence.', ...notices].join(separator)}\n`;
}

/** Writes the file if it differs. */
export async function writeNotices(metafiles) {
	const text = await noticesText(metafiles);
	if (text !== (await currentText())) await writeFile(noticesFile, text);
}

function currentText() {
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
	if ((await noticesText(metafiles)) !== (await currentText())) {
		console.error('THIRD-PARTY-NOTICES.txt is outdated; run npm run build');
		process.exitCode = 1;
	}
}
