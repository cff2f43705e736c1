/** All checks of false statements. They share no code with compaction, so that no mistake in shared code can hide. */

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

/** Finds false and empty statements in a view of a history, by all checks and by the labels of its session. */
export function falseStatements(
	history: readonly ChatMessage[],
	view: readonly ChatMessage[],
	labels: readonly Label[] = [],
): FalseStatement[] {
	const checked = checkedView(history, view);
	return [...checks.flatMap((check) => check(checked)), ...labelledStatements(checked, labels)];
}
