/** The decisions of a session with their reasons, and the user's short answers to them. */

import { isProposal, isReasonedDecision } from '../../analysis/cues.ts';
import { nameOf } from '../../analysis/labels.ts';
import { quoteLine } from '../../analysis/quote.ts';
import { isQuestion } from '../../analysis/settled.ts';
import type { Source } from '../../analysis/source.ts';
import type { UserWord } from '../../analysis/userWords.ts';
import type { Seq } from '../../history/record.ts';
import { agentsLabel, type Entry } from './entries.ts';

/** Longer messages do more than answer. UTF-16 units. */
const maxAnswer = 60;
const approving =
	/^\W*(?:(?:yes|yep|yeah|ok(?:ay)?|sure|agreed?|go ahead|do (?:it|that)|proceed|sounds good|perfect|great|good|ja|gut|einverstanden|mach das)\b|はい|お願い|了解|好的?|可以|同意)/i;

/**
 * Moves the agent's decisions that state their reason to their own section, with the user's answer if it approves.
 * Proposals count as decisions only if the user approved them.
 */
export function withDecisions(
	entries: readonly Entry[],
	sources: readonly Source[],
	words: readonly UserWord[],
): Entry[] {
	const answers = new Set(
		words
			.filter(({ kind, text }) => kind === 'typed' && text.length <= maxAnswer && approving.test(text))
			.map(({ source }) => source),
	);
	const answered = new Map<Seq, Source>();
	for (const [index, source] of sources.entries()) {
		const before = sources[index - 1];
		if (before?.role === 'assistant' && answers.has(source)) answered.set(before.seq, source);
	}
	return entries.map((entry) => {
		const isAgents = (entry.section === 6 || entry.section === 7) && agentsLabel.test(entry.label);
		if (!isAgents || isQuestion(entry.text) || !isReasonedDecision(entry.text)) return entry;
		const answer = answered.get(entry.seq);
		if (answer === undefined && isProposal(entry.text)) return entry;
		const words = answer ? `, user in ${nameOf(answer)}: ${quoteLine(answer.text).replaceAll(']', ')')}` : '';
		return { ...entry, section: 11, label: `${entry.label.slice(0, -1)}${words}]` };
	});
}
