import { fileOf, type OptionTable, parseOptions, tokensOf } from '../front/console/arguments.ts';
import { checkTemplate } from './template.ts';

/** What both status commands take. */
export interface StatusOptions {
	/** How the line is put together; the usual way where absent. */
	template?: string;
	/** With no character beyond ASCII. */
	isAscii: boolean;
	/** Tokens of the agent's window, where the user knows better. */
	window?: number;
	wantsHelp: boolean;
	/** The folder whose newest session is meant; the current one where absent. */
	folder?: string;
}

const options = {
	format: { type: 'string', short: 'f' },
	ascii: { type: 'boolean' },
	window: { type: 'string' },
	help: { type: 'boolean', short: 'h' },
} as const satisfies OptionTable;

/**
 * Reads the arguments behind the name of a status command; fails with exit code 2 where they make no sense.
 * @param command its name
 */
export function statusOptions(command: 'status' | 'statusline', args: string[]): StatusOptions {
	const { values, positionals } = parseOptions(command, args, options);
	if (values.format !== undefined) checkTemplate(command, values.format);
	return {
		template: values.format,
		isAscii: values.ascii === true,
		window: values.window === undefined ? undefined : tokensOf(values.window, `${command}: --window`),
		wantsHelp: values.help === true,
		folder: fileOf(command, positionals),
	};
}
