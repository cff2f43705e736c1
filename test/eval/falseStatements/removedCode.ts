import { type CheckedView, type FalseStatement, plainLine } from './checkedView.ts';
import { type FileEvent, fileEvents, isSamePath } from './fileEvents.ts';

/** Minimum length of a line that can be recognized anywhere. */
const minLine = 15;
/** Minimum length of a replaced part that identifies its line. */
const minPart = 8;
const codeCharacters = /[(){}=;<>[\]]|:$/;
const saysRemoved =
	/remov|delet|was:|instead of|replac|revert|before\b[^:\n]{0,40}:|old\b|entfern|statt|削除/i;

/**
 * Finds lines of code that a view quotes although an edit, a new version of their file, or git removed them from every
 * file that had them. Ignores lines that the view shows as removed: in the old side of an edit, in a result above that
 * edit, with a minus in a diff, or with words that say so in the line or above it. Formatters change the white space
 * within lines, which is therefore not compared.
 */
export function removedCode({ calls, lines, userLines }: CheckedView): FalseStatement[] {
	const removed = removedLines(fileEvents(calls));
	const oldSides = lines.flatMap(({ text, isOldSide }, index) =>
		isOldSide && text.trim().length >= minPart ? [{ text: comparable(text), index }] : [],
	);
	/** Whether a result says what its file had before an edit below it, which the view still has. */
	const isBeforeEdit = (line: string, index: number): boolean =>
		lines[index]?.call !== undefined && oldSides.some((one) => one.index > index && line.includes(one.text));
	return lines.flatMap(({ text, isOwn, isOldSide, call }, index): FalseStatement[] => {
		const line = plainLine(text).replace(/^[+-] ?/, '');
		const path = removed.get(comparable(line));
		if (!isOwn || isOldSide || path === undefined || userLines.has(line.trim())) return [];
		if (isBeforeEdit(comparable(line), index)) return [];
		const isDiff =
			/^\s*-/.test(text) &&
			(/^@@ /m.test(call?.result ?? '') ||
				[lines[index - 1], lines[index + 1]].some((one) => /^\s*[+-]/.test(one?.text ?? '')));
		const isMarked = isDiff || saysRemoved.test(lines[index - 1]?.text ?? '');
		return isMarked ? [] : [{ kind: 'removed code', line: text, reason: `no longer in ${path}` }];
	});
}

/** Returns a line in the form in which lines are compared. */
function comparable(line: string): string {
	return plainLine(line).replace(/\s+/g, ' ');
}

/** Returns the lines that are no longer in any file, each mapped to the path of one file that had it. */
function removedLines(events: readonly FileEvent[]): Map<string, string> {
	const files = new FileLines();
	for (const event of events) files.apply(event);
	return files.removed();
}

/** A change of a line since the last commit: whether the line was there before, if that is known. */
interface LineChange {
	path: string;
	line: string;
	wasThere: boolean | undefined;
}

/** The lines that each file had, and whether it still has them. Outputs of commands count as a file without a name. */
class FileLines {
	private readonly states = new Map<string, Map<string, boolean>>();
	private readonly paths = new Set<string>();
	private uncommitted: LineChange[] = [];
	/** The changes that git put aside, each with whether the line was there. */
	private stashed: (LineChange & { isThere: boolean })[] = [];

	apply(event: FileEvent): void {
		switch (event.type) {
			case 'committed':
				this.uncommitted = [];
				return;
			case 'written':
			case 'removed':
				for (const line of this.linesIn(event.path)) this.set(event.path, line, false);
				if (event.type === 'written') for (const line of event.lines) this.set(event.path, line, true);
				return;
			case 'changed':
				this.change(event);
				return;
			case 'shown':
				this.show(event);
				return;
			case 'stashed':
				this.stash();
				return;
			case 'unstashed':
				for (const { path, line, isThere } of this.stashed) this.set(path, line, isThere);
				return;
			case 'moved':
				for (const line of this.linesIn(event.path)) this.set(event.to, line, true);
				return;
			case 'copied':
				this.forget(event.path);
				return;
			case 'restored':
				this.restore(event.path);
		}
	}

	removed(): Map<string, string> {
		return new Map(
			[...this.states].flatMap(([line, files]): [string, string][] => {
				const path = [...files.keys()].find((one) => one !== '');
				return path !== undefined && ![...files.values()].includes(true) ? [[line, path]] : [];
			}),
		);
	}

	private set(raw: string, text: string, isThere: boolean): void {
		const line = comparable(text);
		if (line.length < minLine || !codeCharacters.test(line)) return;
		const path = this.knownPath(raw);
		const files = this.states.get(line) ?? new Map<string, boolean>();
		this.states.set(line, files);
		if (path !== '') this.uncommitted.push({ path, line, wasThere: files.get(path) });
		files.set(path, isThere);
		// An earlier output of a command showed this file or a copy of it.
		if (!isThere && files.has('')) files.set('', false);
	}

	/** Records lines that a file has. They changed before they were shown, if at all. */
	private show({ path, lines }: Extract<FileEvent, { type: 'shown' }>): void {
		const before = [...this.uncommitted];
		for (const line of lines) this.set(path, line, true);
		this.uncommitted = before;
	}

	private stash(): void {
		this.stashed = this.uncommitted.map((change) => ({
			...change,
			isThere: this.states.get(change.line)?.get(change.path) === true,
		}));
		this.restore('.');
	}

	private forget(raw: string): void {
		const path = this.knownPath(raw);
		for (const files of this.states.values()) files.delete(path);
		this.uncommitted = this.uncommitted.filter((change) => change.path !== path);
	}

	private change({ path, removed, added, isWholeLines }: Extract<FileEvent, { type: 'changed' }>): void {
		const lines = removed.length > 0 && !isWholeLines ? this.linesIn(path) : [];
		const [replacement = ''] = added;
		const ends = new Set([removed[0], removed.at(-1)].map((line = '') => comparable(line)));
		for (const old of removed.map(comparable).filter((line) => line.length >= minPart)) {
			for (const line of ends.has(old) ? lines.filter((one) => one.includes(old)) : []) {
				this.set(path, line, false);
				if (removed.length === 1 && added.length === 1)
					this.set(
						path,
						line.replace(old, () => comparable(replacement)),
						true,
					);
			}
			this.set(path, old, false);
		}
		for (const line of added) this.set(path, line, true);
	}

	private restore(path: string): void {
		const isRestored = (change: LineChange) => path === '.' || isSamePath(path, change.path);
		for (const change of this.uncommitted.filter(isRestored).reverse())
			this.states.get(change.line)?.set(change.path, change.wasThere === true);
		this.uncommitted = this.uncommitted.filter((change) => !isRestored(change));
	}

	private linesIn(raw: string): string[] {
		const path = this.knownPath(raw);
		return [...this.states].flatMap(([line, files]) => (files.get(path) === true ? [line] : []));
	}

	/** Returns the path under which the file first occurred, because commands name files relative to their folder. */
	private knownPath(path: string): string {
		if (path === '' || this.paths.has(path)) return path;
		const known = [...this.paths].find((one) => isSamePath(one, path));
		if (known === undefined) this.paths.add(path);
		return known ?? path;
	}
}
