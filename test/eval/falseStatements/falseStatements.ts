/** All checks of false statements. They share no code with compaction, so that neither hides a mistake of the other. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { Label } from '../evalFolder.ts';
import { type CheckedView, checkedView, type FalseStatement } from './checkedView.ts';
import { unmarkedFailedCalls } from './failedCalls.ts';
import { wrongFiles } from './files.ts';
import { labelledStatements } from './labels.ts';
import { noiseLines } from './noise.ts';
import { removedCode } from './removedCode.ts';
import { rowsWithoutKeys } from './rows.ts';
import { staleChecks } from './staleChecks.ts';

const checks: readonly ((view: CheckedView) => FalseStatement[])[] = [
	unmarkedFailedCalls,
	staleChecks,
	removedCode,
	wrongFiles,
	rowsWithoutKeys,
	noiseLines,
];

/** What is false or empty in a view of a history, found by every check and by the labels of its session. */
export function falseStatements(
	history: readonly ChatMessage[],
	view: readonly ChatMessage[],
	labels: readonly Label[] = [],
): FalseStatement[] {
	const checked = checkedView(history, view);
	return [...checks.flatMap((check) => check(checked)), ...labelledStatements(checked, labels)];
}
