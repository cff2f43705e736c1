/** Arguments of `contextd forget`. */

import { type Arguments, parseOperand } from '../console/arguments.ts';
import { createInputFailure } from '../console/failure.ts';

export interface ForgetCommand {
	name: 'forget';
	/** What to erase: a session, by its id or path, or everything that contains a text. */
	target: { session: string } | { containing: string };
	mode: 'ask' | 'yes' | 'dry run';
}

/** Minimum length of the text in UTF-16 units; a shorter text would be in almost every record. */
const minTextUnits = 4;

/** Parses the arguments of `forget`; throws with exit code 2 if they are invalid. */
export function parseForgetArguments({ values, positionals }: Arguments): ForgetCommand {
	const session = parseOperand('forget', positionals, 'SESSION');
	const { containing, yes, 'dry-run': dryRun } = values;
	if (yes && dryRun) throw createInputFailure('forget: --yes and --dry-run cannot be combined');
	const mode = dryRun ? 'dry run' : yes ? 'yes' : 'ask';
	if (containing !== undefined) {
		if (session !== undefined) throw createInputFailure('forget: --containing needs no SESSION');
		if (containing.trim().length < minTextUnits) {
			throw createInputFailure(
				`forget: --containing: expected at least ${minTextUnits} characters, got "${containing}"`,
			);
		}
		return { name: 'forget', target: { containing }, mode };
	}
	if (!session) {
		throw createInputFailure(
			'forget: expected a SESSION or --containing TEXT; contextd restore lists what is recorded here',
		);
	}
	return { name: 'forget', target: { session }, mode };
}
