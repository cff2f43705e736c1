/** Finds lines of lookups that list many things, of which the conversation names hardly any. */

import { findTouches } from '../../files/findTouches.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import { type Source, splitArguments } from '../message/source.ts';
import { hasShellCommand, isReadOnly } from '../shell/commands.ts';
import { isTyped } from '../user/userStatements.ts';

/** Minimum number of things in a list. */
const minListedThings = 8;
/** Maximum share of the things in a list that messages name; twice as much in a single line. */
const maxNamedShare = 1 / 3;
/** A word that names a thing, such as `Oslo` or `4401`. */
const nameWordPattern = /[\p{Lu}\p{N}][\p{L}\p{N}]+/gu;

/**
 * Returns the lines of a service's JSON results that list many things without a row of their own, if the user and the agent
 * name hardly any of them: a directory of all airports. Lines with mostly named things are not returned. O(text).
 */
export function findUnnamedLists(
	sources: readonly Source[],
	{ byResult }: Outcomes,
): { source: Source; line: string }[] {
	const lists = sources.flatMap((source) => {
		const { call } = (source.rows && byResult.get(source)) ?? {};
		// Only calls that ask a service for data, not for a file or the output of a command.
		if (!call || !isReadOnly(call) || hasShellCommand(call) || findTouches(call).length > 0) return [];
		return (source.rows ?? []).flatMap(({ id, lines }) =>
			id === undefined && splitThings(lines).length >= minListedThings ? [{ source, lines }] : [],
		);
	});
	if (lists.length === 0) return [];
	const namedWords = new Set(sources.flatMap(listNamedWords));
	const isNamed = (thing: string): boolean => {
		const words = thing.match(nameWordPattern) ?? [];
		return words.length === 0 || words.some((word) => namedWords.has(word));
	};
	const computeNamedShare = (lines: readonly string[]): number => {
		const things = splitThings(lines);
		return things.filter(isNamed).length / things.length;
	};
	return lists.flatMap(({ source, lines }) => {
		if (computeNamedShare(lines) > maxNamedShare) return [];
		return lines.flatMap((line) => (computeNamedShare([line]) > 2 * maxNamedShare ? [] : [{ source, line }]));
	});
}

function splitThings(lines: readonly string[]): string[] {
	return lines.flatMap((line) => line.split(/[,;] /));
}

function listNamedWords(source: Source): string[] {
	if (source.role !== 'assistant' && !isTyped(source)) return [];
	const texts = source.calls.flatMap((call) => splitArguments(call).short.map(({ text }) => text));
	return [source.text, ...texts].flatMap((text) => text.match(nameWordPattern) ?? []);
}
