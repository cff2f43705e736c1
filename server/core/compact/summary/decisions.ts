/** Finds the decisions of a session that state a reason, and the user's short answers to them. */

import type { Source } from '../../analysis/message/source.ts';
import { addReplyToLabel } from '../../analysis/passages/labels.ts';
import { isProposal, isQuestion, isReasonedDecision } from '../../analysis/text/cues.ts';
import { quoteLine } from '../../analysis/text/quote.ts';
import type { UserStatement } from '../../analysis/user/userStatements.ts';
import type { Seq } from '../../history/record.ts';
import { agentLabelPattern, type SummaryEntry } from './entries.ts';
import { isNarrativeSection } from './headings.ts';

/** Maximum length of an approval; longer messages do more than approve. UTF-16 units. */
const maxAnswerLength = 60;
const approvalPattern =
	/^[^\p{L}\p{N}]*(?:(?:yes|yep|yeah|ok(?:ay)?|sure|agreed?|go ahead|do (?:it|that)|proceed|sounds good|perfect|great|good|ja|gut|einverstanden|mach das)\b|はい|お願い|了解|好的?|可以|同意)/iu;

/**
 * Moves the agent's decisions that state a reason to their own section, and adds the user's approval, if any. Proposals count as
 * decisions only if the user approved them.
 */
export function moveDecisions(
	entries: readonly SummaryEntry[],
	sources: readonly Source[],
	statements: readonly UserStatement[],
): SummaryEntry[] {
	const answers = new Set(
		statements
			.filter(
				({ kind, text }) => kind === 'typed' && text.length <= maxAnswerLength && approvalPattern.test(text),
			)
			.map(({ source }) => source),
	);
	const approvals = new Map<Seq, Source>();
	for (const [index, source] of sources.entries()) {
		const before = sources[index - 1];
		if (before?.role === 'assistant' && answers.has(source)) approvals.set(before.seq, source);
	}
	return entries.map((entry) => {
		const isAgentEntry = isNarrativeSection(entry.section) && agentLabelPattern.test(entry.label);
		if (!isAgentEntry || isQuestion(entry.text) || !isReasonedDecision(entry.text)) return entry;
		const answer = approvals.get(entry.seq);
		if (answer === undefined && isProposal(entry.text)) return entry;
		const label = answer ? addReplyToLabel(entry.label, answer, quoteLine(answer.text)) : entry.label;
		return { ...entry, section: 'decisions', label };
	});
}
