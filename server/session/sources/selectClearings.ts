/** Finds the results that the option `free` of `context/compact` selects. */

import type { Clearing, Clearings } from '../../core/compact/clearings.ts';
import { Failure } from '../../core/failure.ts';
import { createLocationKey } from '../../core/files/folder.ts';
import type { Seq } from '../../core/history/record.ts';
import type { SlicedTask } from '../../core/slices.ts';
import type { SourcedResult } from '../../core/sources/findResults.ts';
import { groupResults, type ResultGroup } from '../../core/sources/groups.ts';
import { toOneLineCommand } from '../../core/sources/shellRun.ts';
import type { CompactParams } from '../../protocol/compact.ts';
import type { FreeSelection } from '../../protocol/sources.ts';
import { runInSlices } from '../services.ts';
import type { Session } from '../session.ts';
import { type ClearingRules, findSourcedResults } from './sourcedResults.ts';

/** Options that choose what to remove, and thus conflict with `free`. */
const otherSelections = ['config', 'instructions', 'targetTokens', 'threshold', 'range'] as const;

/** Throws `InvalidParams` if `free` selects nothing, or is combined with an option that conflicts with it. */
export function checkSelection(
	options: Pick<CompactParams, 'free' | (typeof otherSelections)[number]>,
): void {
	const { free } = options;
	if (free === undefined) return;
	if ((free.uris ?? []).length + (free.commands ?? []).length === 0)
		throw new Failure('InvalidParams', 'free: expected at least one entry in "uris" or "commands"');
	const otherOption = otherSelections.find((name) => options[name] !== undefined);
	if (otherOption === undefined) return;
	const problem = `free: cannot be combined with "${otherOption}", since it clears exactly the outdated results of its files and commands`;
	throw new Failure('InvalidParams', problem);
}

/** Maximum number of warnings about unknown names. */
const maxWarnings = 5;
/** Maximum length of a name in a warning. UTF-16 units. */
const maxShownLength = 200;

/** Returns the results to clear for a selection of files and commands. */
export async function findClearings(
	session: Session,
	free: FreeSelection,
	rules: ClearingRules,
): Promise<Clearings> {
	return runInSlices(selectClearings(await findSourcedResults(session, rules), free), session.services);
}

/** Returns the outdated results of the selected files and commands. Linear in the results. */
function* selectClearings(
	results: readonly SourcedResult[],
	{ uris = [], commands = [] }: FreeSelection,
): SlicedTask<Clearings> {
	const groups = yield* groupResults(results);
	const byKey = new Map([...groups.files.values()].map((group) => [createLocationKey(group.name), group]));
	const selections: [name: string, group: ResultGroup | undefined][] = [
		...uris.map((uri): [string, ResultGroup | undefined] => [
			uri,
			// Two listed files may have one location: `C:/x` and `c:/x`.
			groups.files.get(uri) ?? byKey.get(createLocationKey(uri)),
		]),
		...commands.map((text): [string, ResultGroup | undefined] => [
			text,
			groups.commands.get(toOneLineCommand(text)),
		]),
	];
	const clearingBySeq = new Map<Seq, Clearing>();
	for (const [, group] of selections) {
		for (const { unit, clearing } of group?.results ?? [])
			if (clearing) clearingBySeq.set(unit.from, clearing);
	}
	const warnings = selections
		.filter(([, group]) => group === undefined)
		.slice(0, maxWarnings)
		.map(([name]) => {
			const shownName = name.length > maxShownLength ? `${name.slice(0, maxShownLength)}…` : name;
			return `free: no visible result comes from "${shownName}"`;
		});
	const emptyReason = warnings[0] ?? 'no selected result is outdated or repeated, except protected ones';
	return { results: clearingBySeq, emptyReason, warnings };
}
