/** Reads the plan that an agent keeps in a file, as boxes that it ticks: `- [x] Write the parser`. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { listEditedPaths } from '../../files/findTouches.ts';
import { mayBeSamePath } from '../../files/paths.ts';
import { listPatchedFiles, patchStart } from '../../files/touches/patch.ts';
import { affectsFiles } from '../../files/touches/shell/fileChanges.ts';
import { listArguments, oldSideNamePattern, type Source } from '../message/source.ts';
import { hasShellCommand } from '../shell/commands.ts';
import { skipLineNumber } from '../text/lineNumbers.ts';
import type { CallAnalyses, FileCall } from './fileCalls.ts';

const documentPattern = /\.(?:md|markdown|mdx|txt)$/i;
const boxPattern = /^[ \t>]{0,40}[-*+] \[([ xX])\] {1,4}(\S.{0,300})/;
/** Maximum number of files that are followed, because each change looks for its file among them. */
const maxFiles = 50;
/** Minimum number of items of a plan. */
const minItems = 3;

/** A plan in a file, as far as the session showed it. */
export interface PlanFile {
	path: string;
	openItems: readonly string[];
	doneCount: number;
	/** The message that changed the file last. */
	changedIn: Source;
}

/** The boxes of a file: whether each item is ticked, by its text. */
interface Boxes {
	isTicked: Map<string, boolean>;
	/** The message that changed the file last, if one ticked a box. */
	changedIn?: Source;
}

/** Returns the file in which a box was ticked last, unless all of its boxes are ticked. */
export function findPlanFile({
	fileCalls,
	undone,
}: Pick<CallAnalyses, 'fileCalls' | 'undone'>): PlanFile | undefined {
	const files = new BoxedFiles();
	for (const one of fileCalls) if (!one.outcome?.failed && !undone.has(one.caller)) files.apply(one);
	return files.findPlan();
}

class BoxedFiles {
	private readonly files = new Map<string, Boxes>();

	apply({ call, caller, outcome, access }: FileCall): void {
		for (const path of access.removedPaths) this.forget(path);
		for (const change of access.changes.filter(affectsFiles)) {
			if ('path' in change && change.path !== undefined) this.forget(change.path);
			else this.files.clear();
		}
		const edited = listEditedPaths(access).filter((path) => documentPattern.test(path));
		const [touch] = access.touches;
		if (edited.length > 0) this.applyEdit(edited, call, caller);
		else if (touch && access.touches.length === 1 && documentPattern.test(touch.path))
			for (const [text, isTicked] of listBoxes(outcome?.result.text ?? ''))
				this.getBoxes(touch.path).isTicked.set(text, isTicked);
	}

	findPlan(): PlanFile | undefined {
		const plans = [...this.files].flatMap(([path, { isTicked, changedIn }]): PlanFile[] => {
			const openItems = [...isTicked].flatMap(([text, ticked]) => (ticked ? [] : [text]));
			return changedIn === undefined || isTicked.size < minItems || openItems.length === 0
				? []
				: [{ path, openItems, doneCount: isTicked.size - openItems.length, changedIn }];
		});
		return plans.sort((a, b) => a.changedIn.seq - b.changedIn.seq).at(-1);
	}

	private applyEdit(paths: readonly string[], call: ToolCall, caller: Source): void {
		const texts = listArguments(call);
		const patch = texts.find(({ text }) => text.includes(patchStart))?.text;
		if (patch !== undefined) {
			for (const { path, from, to, isNew, isDeleted } of listPatchedFiles(patch)) {
				if (!documentPattern.test(path)) continue;
				if (isNew || isDeleted) this.forget(path);
				const lines = patch.slice(from, to).split('\n');
				const side = (sign: string): string =>
					lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join('\n');
				this.change(path, side('-'), side('+'), caller);
			}
			return;
		}
		const isEdit = texts.some(({ key }) => oldSideNamePattern.test(key));
		for (const path of paths) if (!isEdit) this.forget(path);
		const [path = ''] = paths;
		// What a script does inside a file is unknown, and so is which of several files it writes.
		if (paths.length > 1 || (isEdit && hasShellCommand(call))) return;
		const side = (isOld: boolean): string =>
			texts.flatMap(({ key, text }) => (oldSideNamePattern.test(key) === isOld ? [text] : [])).join('\n');
		this.change(path, side(true), side(false), caller);
	}

	private change(path: string, removed: string, added: string, caller: Source): void {
		const before = listBoxes(removed);
		const after = listBoxes(added);
		if (before.size + after.size === 0) return;
		const boxes = this.getBoxes(path);
		for (const text of before.keys()) if (!after.has(text)) boxes.isTicked.delete(text);
		for (const [text, isTicked] of after) boxes.isTicked.set(text, isTicked);
		const ticks = [...before.values()].includes(false) && [...after.values()].includes(true);
		if (ticks || boxes.changedIn) boxes.changedIn = caller;
	}

	/** Forgets a file, or the files in a folder. */
	private forget(path: string): void {
		for (const known of this.files.keys())
			if (mayBeSamePath(known, path) || `/${known}`.includes(`/${path}/`)) this.files.delete(known);
	}

	private getBoxes(path: string): Boxes {
		const known = [...this.files.keys()].find((one) => mayBeSamePath(one, path)) ?? path;
		const boxes = this.files.get(known) ?? { isTicked: new Map<string, boolean>() };
		this.files.set(known, boxes);
		const [oldest = ''] = this.files.keys();
		if (this.files.size > maxFiles) this.files.delete(oldest);
		return boxes;
	}
}

function listBoxes(text: string): Map<string, boolean> {
	const boxes = new Map<string, boolean>();
	if (!/\[[ xX]\] /.test(text)) return boxes;
	for (const line of text.split('\n')) {
		const [, mark, item] = boxPattern.exec(line.slice(skipLineNumber(line, 0))) ?? [];
		if (mark !== undefined && item !== undefined) boxes.set(item.trim(), mark !== ' ');
	}
	return boxes;
}
