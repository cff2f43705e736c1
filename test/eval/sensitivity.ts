/** Measures how the figures change if a tuned number of compaction is halved or doubled. */

import { tuning } from '../../server/core/compact/tuning.ts';
import type { EvalFolder } from './evalFolder.ts';
import { prepareSessions, scoreViews } from './evaluate.ts';
import { type Total, totalsOf } from './report.ts';

/** A tuned number in `tuning.ts`. */
interface TunedNumber {
	/** Name with its group, such as `scores.code`. */
	name: string;
	value: number;
	/** Sets another value of the number in `tuning`. */
	set(value: number): void;
}

/** The changes of the figures if a number is halved, and if it is doubled. */
export interface Sensitivity {
	name: string;
	value: number;
	halved: Total[];
	doubled: Total[];
}

/** Returns the tuned numbers, in the order of `tuning.ts`. */
export function tunedNumbers(): TunedNumber[] {
	return numbersIn(tuning, '');
}

function numbersIn(group: object, prefix: string): TunedNumber[] {
	const values = group as Record<string, unknown>;
	return Object.entries(values).flatMap(([key, value]): TunedNumber[] => {
		const name = `${prefix}${key}`;
		if (typeof value === 'object' && value !== null) return numbersIn(value, `${name}.`);
		if (typeof value !== 'number') throw new TypeError(`expected a number in tuning.${name}`);
		const set = (changed: number): void => {
			values[key] = changed;
		};
		return [{ name, value, set }];
	});
}

/**
 * Measures contextd with each tuned number halved and then doubled, and restores the number. Each number takes two
 * evaluations without baselines.
 *
 * @param names the numbers to measure, or the groups that hold them; all if empty
 */
export async function* measureSensitivity(
	folder: EvalFolder,
	names: readonly string[] = [],
): AsyncGenerator<Sensitivity> {
	const isMeant = (name: string): boolean =>
		names.length === 0 || names.some((one) => name === one || name.startsWith(`${one}.`));
	const prepared = prepareSessions(folder);
	for (const { name, value, set } of tunedNumbers()) {
		if (!isMeant(name)) continue;
		const totals: Total[][] = [];
		try {
			for (const changed of [value / 2, value * 2]) {
				set(changed);
				totals.push(totalsOf(await scoreViews(prepared), folder.questions));
			}
		} finally {
			set(value);
		}
		const [halved = [], doubled = []] = totals;
		yield { name, value, halved, doubled };
	}
}

/** Formats a line for a number: the change of the answered questions and of the grounded facts at each size. */
export function sensitivityLine(
	{ name, value, halved, doubled }: Sensitivity,
	before: readonly Total[],
): string {
	const cells = [halved, doubled].map((totals) =>
		totals
			.map(({ answered = 0, grounded }, index) => {
				const change = [answered - (before[index]?.answered ?? 0), grounded - (before[index]?.grounded ?? 0)];
				return change.map((one) => `${one < 0 ? '' : '+'}${one.toFixed(3)}`).join('/');
			})
			.join(' '),
	);
	return [name.padEnd(34), String(value).padStart(7), ...cells].join('  ');
}
