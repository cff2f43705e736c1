/** Arguments of `contextd forget`. */

import { type Arguments, helpHint } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

export interface ForgetCommand {
	name: 'forget';
	/** What to erase: a session by any of its names, or everything that contains a text. */
	target: { session: string } | { containing: string };
	mode: 'ask' | 'yes' | 'dry run';
}

/** Minimum length of a text; a shorter one would be in almost every record. UTF-16 units. */
const minTextLength = 4;

/** Parses the arguments of `forget`; throws with exit code 2 if they are invalid. */
export function forgetCommand({ values, positionals }: Arguments): ForgetCommand {
	const [session, ...others] = positionals;
	const { containing, yes, 'dry-run': dryRun } = values;
	if (others.length > 0)
		throw badInput(`forget: expected one SESSION, got ${positionals.length}; ${helpHint}`);
	if (yes && dryRun) throw badInput('forget: --yes and --dry-run cannot be combined');
	const mode = dryRun ? 'dry run' : yes ? 'yes' : 'ask';
	if (containing !== undefined) {
		if (session !== undefined) throw badInput('forget: --containing needs no SESSION');
		if (containing.trim().length < minTextLength) {
			throw badInput(
				`forget: --containing: expected at least ${minTextLength} characters, got "${containing}"`,
			);
		}
		return { name: 'forget', target: { containing }, mode };
	}
	if (!session) {
		throw badInput(
			'forget: expected a SESSION or --containing TEXT; contextd restore lists what is recorded here',
		);
	}
	return { name: 'forget', target: { session }, mode };
}
