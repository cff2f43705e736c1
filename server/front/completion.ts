/** Writes scripts for shells that complete commands, options and files. */

import type { CommandUsage, OptionUsage, Shell } from './console/commandWords.ts';
import { commandUsages } from './console/usage.ts';

const helpOption: OptionUsage = { long: '--help', short: '-h', meaning: 'show its options' };
const commandNames = commandUsages.map(({ name }) => name);

function listOptions({ options }: CommandUsage): OptionUsage[] {
	return [...options, helpOption];
}

function listFlags({ long, short }: OptionUsage): string[] {
	return short === undefined ? [long] : [short, long];
}

/** Returns the completion script for a shell. */
export function writeCompletionScript(shell: Shell): string {
	return { bash: writeBashScript, zsh: writeZshScript, fish: writeFishScript }[shell]();
}

function writeBashScript(): string {
	const choices = commandUsages.flatMap(({ name, options }) =>
		options.flatMap((option) =>
			option.choices === undefined
				? []
				: listFlags(option).map((flag) => `\t\t"${name} ${flag}") offered="${option.choices?.join(' ')}" ;;`),
		),
	);
	const flags = commandUsages.map(
		(usage) => `\t\t\t${usage.name}) offered="${listOptions(usage).flatMap(listFlags).join(' ')}" ;;`,
	);
	const operands = commandUsages.flatMap(({ name, operands: words }) => {
		if (words === undefined) return [];
		return [
			words.length === 0 ? `\t\t\t${name}) return ;;` : `\t\t\t${name}) offered="${words.join(' ')}" ;;`,
		];
	});
	return `# bash completion of contextd
_contextd() {
	local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" offered=""
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "${commandNames.join(' ')} --help --version --stdio" -- "$word"))
		return
	fi
	case "$command $before" in
${choices.join('\n')}
	esac
	if [ -z "$offered" ]; then
		case "$word" in
		-*) case "$command" in
${flags.join('\n')}
			esac ;;
		*) case "$command" in
${operands.join('\n')}
			esac ;;
		esac
	fi
	if [ -n "$offered" ]; then COMPREPLY=($(compgen -W "$offered" -- "$word"))
	else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _contextd contextd
`;
}

/** Escapes a text for single quotes, and the characters that are special to zsh's `_arguments`. */
function escapeForZsh(text: string): string {
	return text.replace(/'/g, "'\\''").replace(/[[\]:]/g, '\\$&');
}

function writeZshOperands({ operands }: CommandUsage): string[] {
	if (operands === undefined) return ["'*:file:_files'"];
	return operands.length === 0 ? [] : [`'1:word:(${operands.join(' ')})'`];
}

function writeZshScript(): string {
	const described = commandUsages.map(({ name, summary }) => `\t\t'${name}:${escapeForZsh(summary)}'`);
	const cases = commandUsages.map((usage) => {
		const options = listOptions(usage).flatMap((option) => {
			const taken = option.choices ? `(${option.choices.join(' ')})` : '';
			const value = option.value === undefined ? '' : `:${option.value}:${taken}`;
			const times = option.isRepeatable ? '*' : '';
			return listFlags(option).map((flag) => `'${times}${flag}[${escapeForZsh(option.meaning)}]${value}'`);
		});
		return `\t\t${usage.name}) _arguments ${[...options, ...writeZshOperands(usage)].join(' ')} ;;`;
	});
	return `#compdef contextd
_contextd() {
	local -a commands
	commands=(
${described.join('\n')}
	)
	if (( CURRENT == 2 )); then
		_describe command commands
		return
	fi
	local command=$words[2]
	shift words
	(( CURRENT-- ))
	case $command in
${cases.join('\n')}
	esac
}
compdef _contextd contextd
`;
}

/** Returns a text in single quotes for fish. */
function quoteForFish(text: string): string {
	return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function writeFishScript(): string {
	const lines = commandUsages.flatMap((usage) => {
		const condition = `complete -c contextd -n '__fish_seen_subcommand_from ${usage.name}'`;
		const operands = usage.operands;
		return [
			`complete -c contextd -n __fish_use_subcommand -a ${usage.name} -d ${quoteForFish(usage.summary)}`,
			...listOptions(usage).map(({ long, short, value, meaning, choices }) => {
				const flags = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
				const taken = value === undefined ? '' : choices ? ` -x -a '${choices.join(' ')}'` : ' -r';
				return `${condition} ${flags}${taken} -d ${quoteForFish(meaning)}`;
			}),
			operands === undefined ? `${condition} -F` : `${condition} -a '${operands.join(' ')}'`,
		];
	});
	return `# fish completion of contextd\ncomplete -c contextd -f\n${lines.join('\n')}\n`;
}
