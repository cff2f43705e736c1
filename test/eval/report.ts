/** Adds up the scores of an evaluation, and formats the totals as a table. */

import type { Evaluation, ViewScore } from './evaluate.ts';
import type { RecallShares } from './recall/measureRecall.ts';
import type { TalkScore } from './talks.ts';

/** Totals over the views of one size and one source. Shares are 0 to 1. */
export interface Total {
	size: string;
	source: string;
	/** Share of all questions that were answered; absent without questions. */
	answered?: number;
	/** Share of the questions of each category that were answered; absent without questions. */
	byCategory?: Record<string, number>;
	/** Share of needed facts that the view has. */
	kept: number;
	/** Share of needed facts that the view has next to words of their context. */
	grounded: number;
	/** Number of false statements by kind, including noise; absent for the summary of an agent's own model. */
	falseStatements?: Record<string, number>;
	/** Mean size of the views, divided by that of their history; at boundaries, by the agent's summary. */
	share: number;
}

/** Returns the totals by size and source, in the order in which these first appear. */
export function totalsOf(scores: readonly ViewScore[], questions: Evaluation['questions']): Total[] {
	const groups = new Map<string, ViewScore[]>();
	for (const score of scores) {
		const key = `${score.size}\n${score.source}`;
		groups.set(key, [...(groups.get(key) ?? []), score]);
	}
	return [...groups.values()].map((group) => totalOf(group, questions));
}

function totalOf(group: readonly ViewScore[], questions: Evaluation['questions']): Total {
	const [{ size, source } = { size: '', source: '' }] = group;
	const sum = (figure: (score: ViewScore) => number) => group.reduce((all, score) => all + figure(score), 0);
	const needed = sum(({ facts }) => facts.needed);
	const answered = new Set(group.flatMap((score) => score.answered.map((one) => `${score.session}\n${one}`)));
	const shareOf = (asked: Evaluation['questions']) =>
		ratio(asked.filter((one) => answered.has(`${one.session}\n${one.question}`)).length, asked.length);
	const categories = [...new Set(questions.map(({ category }) => category))].sort();
	return {
		size,
		source,
		...(questions.length > 0 && {
			answered: shareOf(questions),
			byCategory: Object.fromEntries(
				categories.map((name) => [name, shareOf(questions.filter(({ category }) => category === name))]),
			),
		}),
		...falseCounts(group),
		kept: ratio(
			sum(({ facts }) => facts.kept),
			needed,
		),
		grounded: ratio(
			sum(({ facts }) => facts.grounded),
			needed,
		),
		share: ratio(
			sum(({ share }) => share),
			group.length,
		),
	};
}

function falseCounts(group: readonly ViewScore[]): Pick<Total, 'falseStatements'> {
	if (group.every((score) => score.falseStatements === undefined)) return {};
	const counts: Record<string, number> = {};
	for (const { kind } of group.flatMap((score) => score.falseStatements ?? []))
		counts[kind] = (counts[kind] ?? 0) + 1;
	return { falseStatements: counts };
}

function ratio(part: number, whole: number): number {
	return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000;
}

/** Counts the false statements of all kinds except noise. */
export function countFalse({ falseStatements = {} }: Pick<Total, 'falseStatements'>): number {
	return Object.entries(falseStatements).reduce(
		(sum, [kind, count]) => (kind === 'noise' ? sum : sum + count),
		0,
	);
}

/** Returns the lines of a table with a row for each size and source. */
export function tableOf(totals: readonly Total[]): string[] {
	const categories = Object.keys(totals[0]?.byCategory ?? {});
	const hasQuestions = totals[0]?.answered !== undefined;
	const hasFalse = totals[0]?.falseStatements !== undefined;
	const header = [
		'size',
		'view',
		'of history',
		'kept',
		'grounded',
		...(hasQuestions ? ['answered'] : []),
		...(hasFalse ? ['false', 'noise'] : []),
		...categories,
	];
	const rows = totals.map(({ size, source, share, kept, grounded, answered, byCategory = {}, ...total }) => [
		size,
		source,
		...[share, kept, grounded, ...(answered === undefined ? [] : [answered])].map((one) => one.toFixed(3)),
		...(hasFalse ? [String(countFalse(total)), String(total.falseStatements?.noise ?? 0)] : []),
		...categories.map((name) => (byCategory[name] ?? 0).toFixed(2)),
	]);
	return aligned([header, ...rows]);
}

/** Returns the share of statements that views of a size contain, and the number of outdated statements. */
export function talkTotal(talks: readonly TalkScore[], size: string): { kept: number; outdated: number } {
	const views = talks.filter((one) => one.size === size);
	return {
		kept: ratio(
			views.reduce((sum, { kept }) => sum + kept, 0),
			views.length,
		),
		outdated: views.reduce((sum, { outdated }) => sum + outdated.length, 0),
	};
}

/** Returns the lines of a table with a row for each size. */
export function talkTableOf(talks: readonly TalkScore[]): string[] {
	const sizes = [...new Set(talks.map(({ size }) => size))];
	const rows = sizes.map((size) => {
		const { kept, outdated } = talkTotal(talks, size);
		return [size, kept.toFixed(3), String(outdated)];
	});
	return aligned([['size', 'kept', 'outdated'], ...rows]);
}

/** Returns the lines of a table with a row for the questions that ranking was tuned on, and a row for the others. */
export function recallTableOf(scores: Readonly<Record<string, RecallShares>>): string[] {
	const rows = Object.entries(scores).map(([name, { questions, first, firstFive }]) => [
		name,
		String(questions),
		first.toFixed(3),
		firstFive.toFixed(3),
	]);
	return aligned([['questions', 'number', 'first', 'first five'], ...rows]);
}

/** Returns rows whose cells have equal widths. */
function aligned(rows: readonly string[][]): string[] {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => row[column] ?? '').map((cell) => cell.length)),
	);
	return rows.map((row) => {
		const cells = row.map((cell, column) =>
			column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
		);
		return cells.join('  ').trimEnd();
	});
}
