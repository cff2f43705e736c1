import type { Label } from '../evalFolder.ts';
import { type CheckedView, type FalseStatement, surroundingText } from './checkedView.ts';

/** Finds the false statements that a person labelled, in the lines that the compaction wrote. */
export function labelledStatements({ lines }: CheckedView, labels: readonly Label[]): FalseStatement[] {
	return labels.flatMap(({ pattern, unless, correctedBy, statement }): FalseStatement[] => {
		const line = lines.find(({ text, isOwn }, index) => {
			if (!isOwn || text.search(pattern) < 0) return false;
			if (unless !== undefined && surroundingText(lines, index, 1, 2).search(unless) >= 0) return false;
			return (
				correctedBy === undefined || !lines.slice(index + 1).some((one) => one.text.search(correctedBy) >= 0)
			);
		});
		return line === undefined ? [] : [{ kind: 'label', line: line.text, reason: statement }];
	});
}
