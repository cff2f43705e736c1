/** Shows what refuted a claim of the agent next to the claim, in the words of the user or of the agent. */

import { type CancelledFile, listCancelledFiles } from '../../analysis/changes/cancelledEdits.ts';
import { listReverts } from '../../analysis/changes/commitReports.ts';
import type { CallAnalyses } from '../../analysis/changes/fileCalls.ts';
import { collectCorrections, collectObjections } from '../../analysis/claims/refutations.ts';
import { findCodeNames } from '../../analysis/claims/replacedStatements.ts';
import { RestatedValues } from '../../analysis/claims/restatedValues.ts';
import { getMessageName, type Source } from '../../analysis/message/source.ts';
import { addReplyToLabel } from '../../analysis/passages/labels.ts';
import { isProposal } from '../../analysis/text/cues.ts';
import { quoteLine, truncateWithMark } from '../../analysis/text/quote.ts';
import { sentenceOrLineEndPattern } from '../../analysis/text/sentences.ts';
import type { UserStatement } from '../../analysis/user/userStatements.ts';
import { mayBeSamePath } from '../../files/paths.ts';
import type { Seq } from '../../history/record.ts';
import type { SlicedTask } from '../../slices.ts';
import { agentLabelPattern, type SummaryEntry } from './entries.ts';

/** Maximum lengths of an objection and of a correction, and of the start of a claim that is searched. UTF-16 units. */
const maxLength = { objection: 80, correction: 200, claim: 60 } as const;

function shorten(text: string, length: number): string {
	return truncateWithMark(quoteLine(text), length);
}

/** A commit's abbreviated hash, also at the start of a longer one. */
const hashPattern = /(?<![0-9a-z])[0-9a-f]{7}/g;

/** Whether one of the entries of a message contains the start of a sentence. */
function isShown(entries: readonly SummaryEntry[], seq: Seq, sentence: string): boolean {
	const start = sentence.slice(0, maxLength.claim).trim();
	return entries.some((entry) => entry.seq === seq && entry.text.includes(start));
}

/** The first word of a line that reports what changed in a file, behind signs of Markdown. */
const firstWordPattern = /^[^\p{L}\p{N}\n]{0,12}(\S{1,300})/u;

/** Returns a note if a line begins with the name of a file, and a message after `seq` took back all edits of the file before it; else empty. */
function renderCancellation(line: string, seq: Seq, files: readonly CancelledFile[]): string {
	const names = files.length === 0 ? [] : findCodeNames(firstWordPattern.exec(line)?.[1] ?? '');
	const file = files.find(
		({ path, first, last, hasUniqueName }) =>
			first.seq < seq &&
			seq < last.seq &&
			names.some((name) => (hasUniqueName || name.includes('/')) && mayBeSamePath(name, path)),
	);
	return file ? ` (edits taken back later, in ${getMessageName(file.last)})` : '';
}

/**
 * Returns entries with the user's objection in the label of the message, and after a claim, the agent's correction; after a
 * proposal, the user's other choice; after a value in a list, the value of a later list. Marks what names a commit that git
 * reverted later, and lines about a file whose edits were taken back later. Runs in slices.
 */
export function* markRefutedClaims(
	entries: readonly SummaryEntry[],
	sources: readonly Source[],
	statements: readonly UserStatement[],
	calls: Pick<CallAnalyses, 'outcomes' | 'cache' | 'fileCalls'>,
): SlicedTask<SummaryEntry[]> {
	const corrections = yield* collectCorrections(sources, calls.cache);
	const shownSeqs = entries.flatMap(({ seq, label }) => (agentLabelPattern.test(label) ? [seq] : []));
	const objections = collectObjections(sources, statements, new Set(shownSeqs));
	const reverts = new Map(listReverts(calls).map(({ hash, caller }) => [hash, caller]));
	const restated = new RestatedValues(sources);
	const cancelled = listCancelledFiles(calls.fileCalls);
	return entries.map((entry) => {
		if (!agentLabelPattern.test(entry.label)) return entry;
		const marks = (corrections.get(entry.seq) ?? []).flatMap(({ claims, correction, correctionSource }) => {
			if (!claims.some((claim) => isShown([entry], entry.seq, claim))) return [];
			const isOwn = correctionSource.seq === entry.seq;
			const lastSentence = correction.split(sentenceOrLineEndPattern).at(-1) ?? '';
			if (isShown(entries, correctionSource.seq, isOwn ? correction : lastSentence))
				return isOwn ? [] : ` (but see ${getMessageName(correctionSource)})`;
			const place = isOwn ? 'then' : `later, in ${getMessageName(correctionSource)}`;
			return ` (${place}: ${shorten(correction, maxLength.correction)})`;
		});
		// Later messages that name the commit are about its revert.
		for (const [hash] of entry.text.matchAll(hashPattern)) {
			const revert = reverts.get(hash);
			if (revert && entry.seq < revert.seq && reverts.delete(hash))
				marks.push(` (reverted later, in ${getMessageName(revert)})`);
		}
		const objection = objections.get(entry.seq);
		if (objection?.isOtherChoice && isProposal(entry.text)) {
			const words = shorten(objection.text, maxLength.objection);
			marks.push(` (user in ${getMessageName(objection.objectionSource)}: ${words})`);
		}
		const lines = entry.text
			.split('\n')
			.map((line) => `${restated.mark(line, entry.seq)}${renderCancellation(line, entry.seq, cancelled)}`);
		const text = `${lines.join('\n')}${marks.join('')}`;
		const label =
			objection?.isOtherChoice === false
				? addReplyToLabel(
						entry.label,
						objection.objectionSource,
						shorten(objection.text, maxLength.objection),
					)
				: entry.label;
		return { ...entry, text, label };
	});
}
