/** Arguments of `contextd setup`. */

import { type Arguments, helpHint } from '../console/arguments.ts';
import { createInputFailure } from '../console/failure.ts';

export interface SetupCommand {
	name: 'setup';
	/** Whether to ask first, set up at once, print what would be written, or revert what was written. */
	mode: 'ask' | 'yes' | 'dry-run' | 'undo';
}

/** Parses the arguments after `setup`; throws with exit code 2 if they are invalid. */
export function parseSetupArguments({ values, positionals }: Arguments): SetupCommand {
	if (positionals.length > 0)
		throw createInputFailure(`setup: expected no operand, got "${positionals.join(' ')}"; ${helpHint}`);
	const chosen = (['yes', 'dry-run', 'undo'] as const).filter((name) => values[name] === true);
	const [mode = 'ask', other] = chosen;
	if (other !== undefined)
		throw createInputFailure(`setup: --${mode} and --${other} cannot be combined; ${helpHint}`);
	return { name: 'setup', mode };
}
