/** What the daemon tells of a compaction by codes, in the language of the editor. */

import type { CompactResult, NoCompactionReason } from '../../../server/protocol/compact.ts';
import type { StageName } from '../../../server/protocol/compaction.ts';
import { isTranslated, say } from './language.ts';

const reasons: Readonly<Record<NoCompactionReason, () => string>> = {
	below_target: () => say('the history is small enough already'),
	not_worth_it: () => say('it would save next to nothing'),
	just_compacted: () => say('nothing was appended since the last compaction'),
	too_few_messages: () => say('there are too few messages'),
	protected_only: () => say('what is left is protected'),
	no_progress: () => say('nothing that may go would make the history smaller'),
	disabled: () => say('every stage is turned off'),
};

/** Why nothing was compacted: in the daemon's own words, which say more, where the editor speaks their language. */
export function reasonText({ reason, reasonCode }: Pick<CompactResult, 'reason' | 'reasonCode'>): string {
	const told = reasonCode && isTranslated() ? reasons[reasonCode]?.() : undefined;
	return told ?? reason ?? say('there was nothing that could go');
}

const stages: Readonly<Record<StageName, () => string>> = {
	prune: () => say('prune'),
	deduplicate: () => say('deduplicate'),
	summarize: () => say('summarize'),
	truncate: () => say('truncate'),
};

/** The means of a compaction, as a list. */
export function stagesText(names: readonly StageName[]): string {
	return names.map((name) => stages[name]?.() ?? name).join(', ');
}
