import { parseFlags } from '../core/settings/flags.ts';

/**
 * Whether the arguments are for terminal commands rather than for the daemon.
 *
 * True for a command, a word that looks like one, `--help`, `--version`, or no arguments. Also true for a wrong flag
 * without `--stdio`, which fails there with its name: a client states `--stdio`, and may be newer than the daemon.
 * @param argv without the program and its file
 */
export function isFrontCommand(argv: readonly string[]): boolean {
	const [first] = argv;
	if (first === undefined) return true;
	if (argv.includes('--stdio')) return false;
	if (!first.startsWith('-') || argv.some(isHelpOrVersion)) return true;
	return parseFlags(argv).warnings.length > 0;
}

/** Whether an argument requests the help or the version. */
export function isHelpOrVersion(argument: string): boolean {
	return ['--help', '-h', '--version', '-v'].includes(argument);
}
