/**
 * Bundles a program in parts, so that it starts with no more than it starts with. A part begins with source files of
 * functions, its doors: who imports them gets stand-ins, which read the part when the first of them is called, without a
 * wait between. What parts share stands in files of its own, so that it is there once.
 */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, transform } from 'esbuild';

/** A function that a door gives. */
const exported = /^export (?:async )?function\*? (\w+)/gm;
/** Anything else that is there when the program runs. */
const notCallable = /^export (?!(?:async )?function|interface |type ).*$/m;

/** What stands for a door outside of its part. */
async function standIn(file, part) {
	const source = await readFile(file, 'utf8');
	const [other] = notCallable.exec(source) ?? [];
	if (other) throw new Error(`${file} cannot be a door: not all that it gives is a function: ${other}`);
	const functions = [...source.matchAll(exported)].map(
		([, name]) => `export function ${name}(...given) { return part().${name}(...given); }`,
	);
	return [
		'let read;',
		`function part() { return (read ??= require(${JSON.stringify(`./${part}.cjs`)})); }`,
		...functions,
	].join('\n');
}

/** Gives each part, and in place of its doors, to all who import them, their stand-ins. */
function inParts(root, parts) {
	const partOf = new Map(
		Object.entries(parts).flatMap(([part, doors]) => doors.map((door) => [path.join(root, door), part])),
	);
	return {
		name: 'in-parts',
		setup(builds) {
			builds.onResolve({ filter: /^part:/ }, ({ path: name }) => ({ path: name, namespace: 'part' }));
			builds.onLoad({ filter: /.*/, namespace: 'part' }, ({ path: name }) => ({
				contents: parts[name.slice('part:'.length)]
					.map((door) => `export * from ${JSON.stringify(`./${door}`)};`)
					.join('\n'),
				resolveDir: root,
			}));
			builds.onResolve({ filter: /^\..*\.ts$/ }, ({ path: specifier, resolveDir, namespace }) => {
				const file = path.resolve(resolveDir, specifier);
				return namespace !== 'part' && partOf.has(file) ? { path: file, namespace: 'door' } : undefined;
			});
			builds.onLoad({ filter: /.*/, namespace: 'door' }, async ({ path: file }) => ({
				contents: await standIn(file, partOf.get(file)),
			}));
		},
	};
}

const importing = /^import (?:(?:(\w+)|\* as (\w+)|\{([^}]*)\}) from )?"([^"]+)";\n/gm;
const exporting = /^export \{([^}]*)\};\n/gm;
const importingLater = /\bimport\("(\.\/[^"]+)\.js"\)/g;

/**
 * A file of modules as CommonJS. Names are bound once, as none of them changes after its file was read, and a bound name
 * is as fast as one of the same file. Throws where that would not be all that the file imports and exports.
 */
function asCommonJs(text, { imports, exports }) {
	if (/\b__esm\b/.test(text))
		throw new Error('a module that is made when it is required changes its names afterwards');
	const taken = [];
	let given = [];
	const body = text
		.replace(importing, (_, whole, space, names, from) => {
			const members = names && `{${names.replaceAll(' as ', ': ')}}`;
			const bound = whole ?? space ?? members;
			const read = `require(${JSON.stringify(from.replace(/^(\.\/.*)\.js$/, '$1.cjs'))})`;
			taken.push(bound === undefined ? `${read};` : `const ${bound} = ${read};`);
			return '';
		})
		.replace(exporting, (_, names) => {
			given = names.split(',').map((name) => name.trim().split(' as '));
			return `module.exports = {${given.map(([own, told = own]) => `${told}: ${own}`).join(', ')}};\n`;
		})
		.replace(/^export default /m, () => {
			given.push(['default']);
			return 'module.exports.default = ';
		})
		.replace(importingLater, (_, from) => `Promise.resolve().then(() => require("${from}.cjs"))`);
	if (/\bimport\(/.test(body))
		throw new Error('what reads the parts gives them no way to import anything else later');
	const wanted = imports.filter(({ kind }) => kind === 'import-statement').length;
	if (taken.length < wanted || given.length !== exports.length || /^(import|export)\b/m.test(body)) {
		throw new Error(
			`not all of ${[...exports, ...imports.map((one) => one.path)].join(', ')} could be bound`,
		);
	}
	return ['"use strict";', ...taken, body].join('\n');
}

/**
 * Bundles `entry` into the folder `out` as `NAME.cjs`, each part as `NAME-PART.cjs`, and what they share as `NAME-*.cjs`.
 * Gives what esbuild gives.
 * @param parts the doors, source files below `root`, of each part
 */
export async function bundleInParts({ root, out, name, entry, parts, write, plugins, external, ...options }) {
	const files = Object.fromEntries(Object.entries(parts).map(([part, doors]) => [`${name}-${part}`, doors]));
	const bundle = await build({
		...options,
		write: false,
		format: 'esm',
		splitting: true,
		minifyWhitespace: false,
		entryPoints: {
			[name]: entry,
			...Object.fromEntries(Object.keys(files).map((file) => [file, `part:${file}`])),
		},
		outdir: out,
		chunkNames: `${name}-[hash]`,
		external: [...external, ...Object.keys(files).map((file) => `./${file}.cjs`)],
		plugins: [...plugins, inParts(root, files)],
	});
	if (write) await Promise.all(bundle.outputFiles.map((file) => writePart(file, bundle.metafile, root)));
	return bundle;
}

async function writePart({ path: file, text }, { outputs }, root) {
	const part = asCommonJs(text, outputs[path.relative(root, file)]);
	const { code } = await transform(part, { minifyWhitespace: true, legalComments: 'none' });
	await writeFile(file.replace(/\.js$/, '.cjs'), code);
}
