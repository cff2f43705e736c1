/** The decisions of a session with their reasons, and the user's short answers to them. */

import { isProposal, isReasonedDecision } from '../../analysis/cues.ts';
import { nameMessage } from '../../analysis/labels.ts';
import { quoteLine } from '../../analysis/quote.ts';
import { isQuestion } from '../../analysis/settledStatements.ts';
import type { Source } from '../../analysis/source.ts';
import type { UserStatement } from '../../analysis/userStatements.ts';
import type { Seq } from '../../history/record.ts';
import { agentLabel, type SummaryEntry } from './entries.ts';

/** Longer messages do more than answer. UTF-16 units. */
const maxAnswerLength = 60;
const approvalWords =
	/^\W*(?:(?:yes|yep|yeah|ok(?:ay)?|sure|agreed?|go ahead|do (?:it|that)|proceed|sounds good|perfect|great|good|ja|gut|einverstanden|mach das)\b|はい|お願い|了解|好的?|可以|同意)/i;

/**
 * Moves the agent's decisions that state their reason to their own section, with the user's answer if it approves.
 * Proposals count as decisions only if the user approved them.
 */
export function moveDecisions(
	entries: readonly SummaryEntry[],
	sources: readonly Source[],
	words: readonly UserStatement[],
): SummaryEntry[] {
	const answers = new Set(
		words
			.filter(
				({ kind, text }) => kind === 'typed' && text.length <= maxAnswerLength && approvalWords.test(text),
			)
			.map(({ source }) => source),
	);
	const approvals = new Map<Seq, Source>();
	for (const [index, source] of sources.entries()) {
		const before = sources[index - 1];
		if (before?.role === 'assistant' && answers.has(source)) approvals.set(before.seq, source);
	}
	return entries.map((entry) => {
		const isAgents = (entry.section === 6 || entry.section === 7) && agentLabel.test(entry.label);
		if (!isAgents || isQuestion(entry.text) || !isReasonedDecision(entry.text)) return entry;
		const answer = approvals.get(entry.seq);
		if (answer === undefined && isProposal(entry.text)) return entry;
		const words = answer
			? `, user in ${nameMessage(answer)}: ${quoteLine(answer.text).replaceAll(']', ')')}`
			: '';
		return { ...entry, section: 11, label: `${entry.label.slice(0, -1)}${words}]` };
	});
}
