import { parseFlags } from '../core/settings/flags.ts';

/**
 * Whether the arguments are for the terminal front rather than for the daemon: a command, a word that looks
 * like one, `--help`, `--version`, or nothing at all. Flags that the daemon would only warn of are for the front where
 * somebody types at a terminal, who would wait for it in vain.
 * @param argv without the program and its file
 * @param isTyped whether the standard input is a terminal; asked where it matters alone, since Node makes a stream of it
 */
export function isFrontCommand(argv: readonly string[], isTyped: () => boolean): boolean {
	const [first] = argv;
	if (first === undefined) return true;
	if (argv.includes('--stdio')) return false;
	if (!first.startsWith('-') || argv.some(isQuestion)) return true;
	return parseFlags(argv).warnings.length > 0 && isTyped();
}

/** Whether an argument asks for the help or the version. */
export function isQuestion(argument: string): boolean {
	return ['--help', '-h', '--version', '-v'].includes(argument);
}
