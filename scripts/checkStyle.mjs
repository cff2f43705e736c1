/**
 * Fails if the project contains words or shapes that are hard to read: see `style/words.mjs` and `style/shapes.mjs`.
 * `style/exceptions.json` lists exceptions with a reason, as they are printed but without line numbers. Fails on unused exceptions,
 * too. An argument names another folder to check.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFiles, readSyntax } from './style/files.mjs';
import { findLimitNames, findLongFile, findParticiples, findShapes, findTwins } from './style/shapes.mjs';
import { listCodeTexts, listLispTexts, listLuaTexts, listPageTexts } from './style/texts.mjs';
import { findWords } from './style/words.mjs';

const root = path.resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));

function findInTexts(texts) {
	return texts.flatMap(({ start, text }) =>
		findWords(text).map((offence) => ({ ...offence, offset: start + offence.offset })),
	);
}

function findInCode(syntax) {
	const offences = [
		...findInTexts(listCodeTexts(syntax)),
		...findLimitNames(syntax),
		...findLongFile(syntax),
	];
	if (isProduct(syntax)) offences.push(...findShapes(syntax), ...findParticiples(syntax));
	return offences;
}

function isProduct({ file }) {
	return /^(?:server|kit|client-[^/]+|scripts)\//.test(file) && !file.endsWith('.d.ts');
}

function findInOtherCode(files, ending, listTexts) {
	return files
		.filter(({ file }) => file.endsWith(ending))
		.flatMap(({ file, source }) => findInTexts(listTexts(source)).map((offence) => ({ file, ...offence })));
}

function findConflictMarkers({ file, source }) {
	return [...source.matchAll(/^(?:<{7}|>{7}) .*/gm)].map(({ index, 0: name }) => ({
		file,
		offset: index,
		rule: 'merge conflict',
		name,
		message: 'keep one side, or both, without this line',
	}));
}

function findInFiles() {
	const files = readFiles(root);
	const pages = files.filter(({ file }) => /\.(?:md|txt)$/.test(file));
	const code = files.filter(({ file }) => /\.[cm]?[jt]s$/.test(file)).map(readSyntax);
	const sources = new Map(files.map(({ file, source }) => [file, source]));
	const offences = [
		...pages.flatMap(({ file, source }) =>
			findInTexts(listPageTexts(source)).map((offence) => ({ file, ...offence })),
		),
		...findInOtherCode(files, '.lua', listLuaTexts),
		...findInOtherCode(files, '.el', listLispTexts),
		...code.flatMap((syntax) => findInCode(syntax).map((offence) => ({ file: syntax.file, ...offence }))),
		...findTwins(code.filter(isProduct)),
		...files.flatMap(findConflictMarkers),
	];
	return offences.map(({ file, offset, ...offence }) => {
		const line = sources.get(file).slice(0, offset).split('\n').length;
		return { ...offence, where: file, line: `:${line}` };
	});
}

/** Returns the offences in titles of commits after `hash`; none if the history does not contain that commit. */
function findInCommits(hash) {
	const { status, stdout } = spawnSync('git', ['log', '--format=%h %s', `${hash}..HEAD`], {
		cwd: root,
		encoding: 'utf8',
	});
	if (status !== 0) return [];
	return stdout.split('\n').flatMap((line) => {
		const [short, ...title] = line.split(' ');
		return findWords(title.join(' ')).map((offence) => ({ ...offence, where: `commit ${short}`, line: '' }));
	});
}

const { commitsAfter, exceptions } = JSON.parse(
	readFileSync(path.join(root, 'scripts/style/exceptions.json'), 'utf8'),
);
const unused = new Set(exceptions.flatMap(({ reason, offences }) => (reason ? offences : [])));
const exempt = new Set(unused);
for (const { where, line, rule, name, message } of [...findInFiles(), ...findInCommits(commitsAfter)]) {
	const offence = `${where}: ${rule}: ${name}`;
	unused.delete(offence);
	if (exempt.has(offence)) continue;
	console.error(`${where}${line}: ${rule}: ${name}: ${message}`);
	process.exitCode = 1;
}
for (const offence of unused) {
	console.error(`scripts/style/exceptions.json: nothing needs this exception any longer: ${offence}`);
	process.exitCode = 1;
}
