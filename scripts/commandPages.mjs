/**
 * Writes man/contextd.1 and docs/commands.md from the table of commands, which help and completions use as well. With `--check`,
 * writes nothing and fails if a page is outdated.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundleSource.mjs';
import { writeGeneratedFiles } from './generatedFiles.mjs';
import { escapeCell } from './protocol/types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Escapes a text for roff: it then contains no instructions, and its hyphens can be searched and copied. */
function escapeRoff(text) {
	return text
		.replace(/\\/g, '\\e')
		.replace(/-/g, '\\-')
		.replace(/^([.'])/gm, '\\&$1')
		.replace(/[…–→]/g, (sign) => ({ '…': '...', '–': '\\(en', '→': '\\(->' })[sign]);
}

const formatBold = (text) => `\\fB${escapeRoff(text)}\\fR`;
const formatSection = (title, lines) => [`.SH ${title}`, ...lines];
const formatEntry = (head, text) => ['.TP', head, ...(text === '' ? ['\\&'] : [escapeRoff(text)])];

function formatOptionHead({ short, long, value }) {
	const names = [short, long].filter((flag) => flag !== undefined).map(formatBold);
	return `${names.join(', ')}${value === undefined ? '' : ` \\fI${escapeRoff(value)}\\fR`}`;
}

function formatCommand({ name, operand, about, options, examples }) {
	return [
		`.SS "contextd ${escapeRoff(name)}${operand === '' ? '' : ` ${escapeRoff(operand)}`}"`,
		escapeRoff(about),
		...options.flatMap((option) => formatEntry(formatOptionHead(option), option.meaning)),
		...(examples.length === 0 ? [] : ['.PP', 'Examples:']),
		...examples.flatMap(([line, purpose]) => formatEntry(formatBold(line), purpose)),
	];
}

function renderManPage({ commandUsages, flagUsages }, programVersion) {
	return [
		'.\\" Written by npm run docs.',
		`.TH CONTEXTD 1 "" "contextd ${programVersion}" "User Commands"`,
		...formatSection('NAME', [
			'contextd \\- show how full the context of coding agents is, compact it, and undo that',
		]),
		...formatSection('SYNOPSIS', ['.B contextd', '.br', '.B contextd', '\\fICOMMAND\\fR [\\fIoptions\\fR]']),
		...formatSection('DESCRIPTION', [
			'Without arguments, shows the meter of the newest session of the working folder, or else of any folder, and what to type next.',
		]),
		...formatSection('COMMANDS', commandUsages.flatMap(formatCommand)),
		...formatSection(
			'FLAGS OF THE DAEMON',
			flagUsages.flatMap(([flag, meaning]) => formatEntry(formatBold(flag), meaning)),
		),
		...formatSection('EXIT STATUS', [
			...formatEntry('0', 'success'),
			...formatEntry('1', 'failure'),
			...formatEntry('2', 'invalid input or arguments'),
		]),
		...formatSection('ENVIRONMENT', [
			...formatEntry(
				formatBold('CONTEXTD_HOME'),
				'the state folder; by default contextd below XDG_STATE_HOME, or below ~/.local/state',
			),
			...formatEntry(formatBold('NO_COLOR'), 'reports without colours'),
			...formatEntry(formatBold('COLUMNS'), 'the width of reports that do not go to a terminal'),
		]),
		'',
	].join('\n');
}

/** Descriptions of what `--json` prints, by command. */
const jsonShapes = {
	record:
		'the result of [`recorder/status`](protocol.md#recorderstatus), or for pin and unpin of [`recorder/pin`](protocol.md#recorderpin)',
	audit:
		'`{ from, to, usd, unpricedInputTokens, statedUsd, calls, sessions, byCause, byAgent, byModel, byProject, byDay, moments, unpriced, alternatives, unreadable }`: times in milliseconds since the epoch, money in dollars (`usd`) and, for models without a known price, as the number of input tokens that would cost the same (`unpricedInputTokens`)',
	stats:
		'a [`ContextStats`](protocol.md#type-contextstats), with the lists of [`context/sources`](protocol.md#contextsources) as `sources`',
	compact: 'a [`CompactResult`](protocol.md#type-compactresult)',
	undo: 'the result of [`context/undo`](protocol.md#contextundo)',
	history: 'the result of [`context/history`](protocol.md#contexthistory)',
	recall: 'the result of [`context/recall`](protocol.md#contextrecall)',
	sessions: 'an array of [`Transcript`](protocol.md#type-transcript)',
	restore: 'an array of [`RecordedSession`](protocol.md#type-recordedsession)',
	daemon:
		'`state` (`none`, `running`, `silent`, `closed` or `elsewhere`), `stateFolder`, and, if it runs, `pid`, `version`, `clients`, `sessions`, `memoryBytes` and `uptime` in seconds',
};

function renderReference({ name, operand, about, options, examples }) {
	const hasJson = options.some(({ long }) => long === '--json');
	if (hasJson && jsonShapes[name] === undefined) throw new Error(`what does contextd ${name} --json print?`);
	const rows = options.map(({ short, long, value, meaning }) => {
		const names = [short, long].filter((flag) => flag !== undefined).join('`, `');
		return `| \`${names}${value === undefined ? '' : ` ${value}`}\` | ${escapeCell(meaning)} |`;
	});
	return [
		`## contextd ${name}${operand === '' ? '' : ` ${operand}`}`,
		'',
		about,
		'',
		...(rows.length === 0 ? [] : ['| option | |', '|---|---|', ...rows, '']),
		...(hasJson ? [`\`--json\` prints ${jsonShapes[name]}.`, ''] : []),
		...(examples.length === 0
			? []
			: ['```sh', ...examples.map(([line, purpose]) => `${line}  # ${purpose}`), '```', '']),
	];
}

function renderCommands({ commandUsages, flagUsages }) {
	return [
		'# Commands',
		'',
		'Every command with its options. The page is generated from the table that `contextd COMMAND --help`, `man contextd` and the completions of shells are made of. Exit codes are 0 for success, 1 for failure, and 2 for invalid input or arguments.',
		'',
		'`contextd` alone shows the meter of the newest session of the working folder, or else of any folder, and what to type next.',
		'',
		...commandUsages.flatMap(renderReference),
		'## Flags of the daemon',
		'',
		'An unknown flag, or one without a usable value, is an error with exit code 2. With `--stdio`, which clients give, it is a warning, so that a newer client can start an older daemon. A setting with a bad value is logged and ignored.',
		'',
		'| flag | |',
		'|---|---|',
		...flagUsages.map(([flag, meaning]) => `| \`${flag}\` | ${escapeCell(meaning)} |`),
		'',
	].join('\n');
}

const { version } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
const tables = await importSource(`
	export * from './server/front/console/usage.ts';
	export * from './server/core/settings/flags.ts';
`);
await mkdir(`${root}/man`, { recursive: true });
await writeGeneratedFiles({
	'man/contextd.1': renderManPage(tables, version),
	'docs/commands.md': renderCommands(tables),
});
