/**
 * Writes man/contextd.1 from the table of commands, from which help and completions come too. With `--check`, writes
 * nothing and fails if the page is outdated.
 */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleSource } from './bundleSource.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const path = `${root}/man/contextd.1`;

/** Returns what the sources of the page export. */
async function readTables() {
	const bundle = `${root}/node_modules/.cache/contextd-man-${process.pid}.mjs`;
	const contents = [
		"export * from './server/front/console/usage.ts';",
		"export * from './server/core/settings/flags.ts';",
	];
	await bundleSource(undefined, bundle, {
		entryPoints: undefined,
		stdin: { contents: contents.join('\n'), resolveDir: root },
	});
	try {
		return await import(pathToFileURL(bundle).href);
	} finally {
		await rm(bundle);
	}
}

/** A text for roff: no character of it is an instruction, and a hyphen is one that can be searched and copied. */
function roff(text) {
	return text
		.replace(/\\/g, '\\e')
		.replace(/-/g, '\\-')
		.replace(/^([.'])/gm, '\\&$1')
		.replace(/[…–→]/g, (sign) => ({ '…': '...', '–': '\\(en', '→': '\\(->' })[sign]);
}

const bold = (text) => `\\fB${roff(text)}\\fR`;
const section = (title, lines) => [`.SH ${title}`, ...lines];
const entry = (head, text) => ['.TP', head, ...(text === '' ? ['\\&'] : [roff(text)])];

function optionHead({ short, long, value }) {
	const names = [short, long].filter((name) => name !== undefined).map(bold);
	return `${names.join(', ')}${value === undefined ? '' : ` \\fI${roff(value)}\\fR`}`;
}

function commandLines({ name, operand, about, options, examples }) {
	return [
		`.SS "contextd ${roff(name)}${operand === '' ? '' : ` ${roff(operand)}`}"`,
		roff(about),
		...options.flatMap((option) => entry(optionHead(option), option.meaning)),
		...(examples.length === 0 ? [] : ['.PP', 'Examples:']),
		...examples.flatMap(([line, purpose]) => entry(bold(line), purpose)),
	];
}

function page({ commandUsages, flagUsages }, version) {
	return [
		'.\\" Written by npm run docs.',
		`.TH CONTEXTD 1 "" "contextd ${version}" "User Commands"`,
		...section('NAME', [
			'contextd \\- show how full the context of coding agents is, compact it, and undo that',
		]),
		...section('SYNOPSIS', ['.B contextd', '.br', '.B contextd', '\\fICOMMAND\\fR [\\fIoptions\\fR]']),
		...section('DESCRIPTION', [
			'Without arguments, shows the meter of the newest session of the working folder, or else of any folder, and what to type next.',
		]),
		...section('COMMANDS', commandUsages.flatMap(commandLines)),
		...section(
			'FLAGS OF THE DAEMON',
			flagUsages.flatMap(([flag, meaning]) => entry(bold(flag), meaning)),
		),
		...section('EXIT STATUS', [
			...entry('0', 'success'),
			...entry('1', 'failure'),
			...entry('2', 'invalid input or arguments'),
		]),
		...section('ENVIRONMENT', [
			...entry(
				bold('CONTEXTD_HOME'),
				'the state folder; by default contextd below XDG_STATE_HOME, or below ~/.local/state',
			),
			...entry(bold('NO_COLOR'), 'reports without colours'),
			...entry(bold('COLUMNS'), 'the width of reports that do not go to a terminal'),
		]),
		'',
	].join('\n');
}

const { version } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
const text = page(await readTables(), version);
if (!process.argv.includes('--check')) {
	await mkdir(`${root}/man`, { recursive: true });
	await writeFile(path, text);
} else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
	process.stderr.write('man/contextd.1 is outdated: run npm run docs\n');
	process.exitCode = 1;
}
