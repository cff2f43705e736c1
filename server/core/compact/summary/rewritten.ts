/** What calls took out of a file without naming it: by writing all of it anew, or by exchanging words wherever they stood. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import type { FileAccess } from '../../files/touchesOf.ts';
import { isFields } from '../../shape.ts';
import type { Slices } from '../../slices.ts';
import type { Source } from '../ledger/source.ts';
import { type Found, foundAccess } from '../thread/found.ts';
import { type CallKeys, keysOfLinesWith, type LineKeys } from '../thread/lineKeys.ts';
import { mostSeenOfFile, removedAtOnce } from './tuning.ts';

/** Something that showed or gave a file's text. */
interface Seen {
	keys: Float64Array;
	texts: readonly string[];
}

/** The one file that a call reads or edits. */
function fileOf(call: ToolCall, found: Found): FileAccess['touches'][number] | undefined {
	const { touches } = foundAccess(found, call);
	return touches.length === 1 ? touches[0] : undefined;
}

function textsOf({ args }: ToolCall): string[] {
	if (!isFields(args)) return [];
	return Object.values(args).filter((value): value is string => typeof value === 'string');
}

/** What was seen of a file before a call and is no longer there behind it. */
function takenOut({ rewriting, live }: CallKeys, before: readonly Seen[]): number[] {
	if (rewriting?.kind === 'words') {
		const { old } = rewriting;
		return before.flatMap(({ texts }) => texts.flatMap((text) => keysOfLinesWith(text, old)));
	}
	const stays = new Set(live);
	return before.flatMap(({ keys }) => [...keys].filter((key) => !stays.has(key)));
}

/** The files that calls rewrote, by their paths. */
function filesOf(sources: readonly Source[], rewriting: ReadonlySet<string>, found: Found): Set<string> {
	const files = new Set<string>();
	for (const { calls } of sources)
		for (const call of calls) {
			const file = rewriting.has(call.id) ? fileOf(call, found) : undefined;
			if (file) files.add(file.path);
		}
	return files;
}

/**
 * By the id of a call, the keys of the lines that it took out of its file, as far as they were seen before; in steps of
 * some milliseconds. `keys` are those of the sources, in order; a call of `failed` changed nothing.
 */
export function* rewrittenLineSteps(
	sources: readonly Source[],
	keys: readonly LineKeys[],
	failed: ReadonlySet<string>,
	found: Found,
): Slices<Map<string, number[]>> {
	const taken = new Map<string, number[]>();
	const rewriting = new Set<string>();
	for (const { calls } of keys)
		for (const { id, rewriting: how } of calls) if (how && !failed.has(id)) rewriting.add(id);
	if (rewriting.size === 0) return taken;
	const files = filesOf(sources, rewriting, found);
	const seen = new Map<string, Seen[]>();
	const reads = new Map<string, string>();
	for (const [index, source] of sources.entries()) {
		if (index % removedAtOnce.known === 0) yield;
		const read = reads.get(source.toolCallId ?? '');
		const { text, calls = [] } = keys[index] ?? {};
		if (read !== undefined && text && !source.failed)
			seen.get(read)?.push({ keys: text, texts: [source.text] });
		for (const call of source.calls) {
			const file = fileOf(call, found);
			if (file === undefined || !files.has(file.path) || failed.has(call.id)) continue;
			const before = seen.get(file.path) ?? [];
			const own = calls.find(({ id }) => id === call.id);
			if (own?.rewriting) {
				taken.set(call.id, takenOut(own, before));
				yield;
			}
			const after = own?.rewriting?.kind === 'whole' ? [] : before.slice(-mostSeenOfFile);
			if (file.kind === 'read') reads.set(call.id, file.path);
			else if (own) after.push({ keys: own.live, texts: textsOf(call) });
			seen.set(file.path, after);
		}
	}
	return taken;
}
