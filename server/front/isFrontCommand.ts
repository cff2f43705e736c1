import { parseFlags } from '../core/settings/flags.ts';

/**
 * Returns whether the arguments are for terminal commands rather than for the daemon: a command or any other word,
 * `--help`, `--version`, or none.
 * @param argv command line without the program and its file
 */
export function isFrontCommand(argv: readonly string[]): boolean {
	const [first] = argv;
	if (first === undefined) return true;
	if (argv.includes('--stdio')) return false;
	if (!first.startsWith('-') || argv.some(isHelpOrVersion)) return true;
	return parseFlags(argv).warnings.length > 0;
}

function isHelpOrVersion(argument: string): boolean {
	return ['--help', '-h', '--version', '-v'].includes(argument);
}
