/** Finds calls that read a file which a later call reads again: the summary names the last of them. */

import type { AnalysisCache } from '../message/analyses.ts';
import { getFirstFileTouch } from '../message/analyses.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';
import { isReadOnly } from '../shell/commands.ts';
import { renderCall } from './calls.ts';

/** Returns the lines of these calls by their messages. Calls with an outcome of their own are not among them. O(calls). */
export function findRepeatedReads(
	sources: readonly Source[],
	{ byCall }: Outcomes,
	cache: AnalysisCache,
): Map<Source, ReadonlySet<string>> {
	const linesBySource = new Map<Source, ReadonlySet<string>>();
	const laterPaths = new Set<string>();
	for (const source of sources.toReversed()) {
		const paths: string[] = [];
		const lines = source.calls.flatMap((call) => {
			if (byCall.get(call)?.message !== '' || !isReadOnly(call)) return [];
			const touch = getFirstFileTouch(cache, call);
			if (touch?.kind !== 'read') return [];
			paths.push(touch.path);
			return laterPaths.has(touch.path) ? [renderCall(call)] : [];
		});
		if (lines.length > 0) linesBySource.set(source, new Set(lines));
		for (const path of paths) laterPaths.add(path);
	}
	return linesBySource;
}
