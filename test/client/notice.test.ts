import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideNotice, parseNoticeLevels } from '../../client-vscode/src/usage/notice.ts';

/** Returns the levels that are reported while the window fills and empties to these ratios. */
function reportedBy(levels: number[], ratios: number[]): number[] {
	let reported = 0;
	return ratios.flatMap((ratio) => {
		const notice = decideNotice(levels, reported, ratio);
		reported = notice.reportedLevel;
		return notice.dueLevel === null ? [] : [notice.dueLevel];
	});
}

describe('notices at levels', () => {
	it('a notice appears once per rise, only for the highest level that was passed', () => {
		expect(reportedBy([0.8, 0.95], [0.5, 0.79, 0.8, 0.85, 0.96, 0.97])).toEqual([0.8, 0.95]);
		expect(reportedBy([0.8, 0.95], [0.5, 0.97])).toEqual([0.95]);
	});

	it('a notice appears again only after usage fell clearly', () => {
		expect(reportedBy([0.8], [0.81, 0.79, 0.81])).toEqual([0.8]);
		expect(reportedBy([0.8], [0.81, 0.4, 0.81])).toEqual([0.8, 0.8]);
	});

	it('no notice appears without levels', () => {
		expect(reportedBy([], [0.99])).toEqual([]);
	});

	it('a notice is never due below its level', () => {
		const share = fc.double({ min: 0, max: 1.5, noNaN: true });
		fc.assert(
			fc.property(fc.array(share), share, share, (levels, reported, ratio) => {
				const { dueLevel } = decideNotice(levels, reported, ratio);
				expect(dueLevel === null || (dueLevel <= ratio && dueLevel > reported)).toBe(true);
			}),
		);
	});

	it('levels are set in percent', () => {
		expect(parseNoticeLevels([80, 95])).toEqual([0.8, 0.95]);
		expect(parseNoticeLevels([0, 'x', 120, 50])).toEqual([0.5]);
		expect(parseNoticeLevels(undefined)).toEqual([]);
	});
});
