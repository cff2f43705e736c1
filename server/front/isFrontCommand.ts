import { parseFlags } from '../core/settings/flags.ts';

/**
 * Whether the arguments are for terminal commands rather than for the daemon.
 *
 * True for a command, a word that looks like one, `--help`, `--version`, or no arguments. Unknown flags are for terminal
 * commands if a user types at a terminal, since the daemon would only wait there.
 * @param argv without the program and its file
 * @param isTyped whether standard input is a terminal; called only if needed, since Node then creates a stream
 */
export function isFrontCommand(argv: readonly string[], isTyped: () => boolean): boolean {
	const [first] = argv;
	if (first === undefined) return true;
	if (argv.includes('--stdio')) return false;
	if (!first.startsWith('-') || argv.some(isHelpOrVersion)) return true;
	return parseFlags(argv).warnings.length > 0 && isTyped();
}

/** Whether an argument requests the help or the version. */
export function isHelpOrVersion(argument: string): boolean {
	return ['--help', '-h', '--version', '-v'].includes(argument);
}
