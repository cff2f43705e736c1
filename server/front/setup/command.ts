/** `contextd setup`. */

import { type Arguments, helpHint } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

export interface SetupCommand {
	name: 'setup';
	/** Asks first, sets up at once, prints what it would write, or reverts what it wrote. */
	mode: 'ask' | 'yes' | 'dry-run' | 'undo';
}

/** Parses the arguments after `setup`; throws with exit code 2 if they are invalid. */
export function setupCommand({ values, positionals }: Arguments): SetupCommand {
	if (positionals.length > 0) {
		throw badInput(`setup: expected no operand, got "${positionals.join(' ')}"; ${helpHint}`);
	}
	const chosen = (['yes', 'dry-run', 'undo'] as const).filter((name) => values[name] === true);
	const [mode = 'ask', other] = chosen;
	if (other !== undefined) throw badInput(`setup: --${mode} and --${other} cannot be combined; ${helpHint}`);
	return { name: 'setup', mode };
}
