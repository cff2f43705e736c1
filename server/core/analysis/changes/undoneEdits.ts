/** Finds edits that a later call of an editor tool took back: its action `undo_edit` restores a file as it was before its last edit. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { isFields } from '../../shape.ts';
import type { Outcomes } from '../message/callOutcome.ts';
import type { Source } from '../message/source.ts';

const editPattern = /^(?:create|str_replace|insert)$/;

function readAction({ args }: ToolCall): { action?: unknown; path?: unknown } {
	return isFields(args) ? { action: args.command, path: args.path } : {};
}

/** Whether a call takes back the last edit of a file. */
export function isUndoOfEdit(call: ToolCall): boolean {
	const { action, path } = readAction(call);
	return action === 'undo_edit' && path !== undefined;
}

/** Adds the messages whose only call is an edit that was taken back, each with the message that did so. O(results). */
export function addUndoneEdits(undone: Map<Source, Source>, { byResult }: Outcomes): void {
	const edits = new Map<unknown, Source[]>();
	for (const { call, caller, failed } of byResult.values()) {
		const { action, path } = readAction(call);
		if (failed || typeof action !== 'string' || path === undefined) continue;
		if (editPattern.test(action)) getOrInsert(edits, path, () => []).push(caller);
		if (!isUndoOfEdit(call)) continue;
		const edit = edits.get(path)?.pop();
		if (edit?.calls.length === 1) undone.set(edit, caller);
	}
}
