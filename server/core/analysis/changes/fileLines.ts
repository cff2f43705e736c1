/** Tracks the current lines of a session's files, as far as calls and results show them. */

import { GitState } from '../../files/gitState.ts';
import { getFileName, mayBeSamePath } from '../../files/paths.ts';
import type { ShellFileChange } from '../../files/touches/shell/fileChanges.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type CallKeys, computeLineKey, computeLineKeys } from '../message/lineKeys.ts';
import { skipLineNumber } from '../text/lineNumbers.ts';

/** Maximum number of a file's newest texts that are searched for replaced words. */
const maxTextsOfFile = 40;
/** Lines of longer files do not follow a copy of the file. Each copy stores its lines again. */
const maxCopiedLines = 4000;

/** Maximum length and number of lines that are looked for in a whole file. Agents shorten longer lines. UTF-16 units. */
const maxComparedLength = 1900;
const maxComparedLines = 200;

/** A change of one line, which is identified by its key. */
interface LineChange {
	path: string;
	key: number;
	/** Whether the file had the line before; undefined if the line was unknown. */
	wasPresent: boolean | undefined;
}

/** Known lines and texts of a file. */
interface KnownFile {
	path: string;
	/** Whether the file has a line now, by the key of the line. */
	presence: Map<number, boolean>;
	/** Texts that showed the file or were written to it, newest last. */
	texts: string[];
	/** The keys of lines that a command copied to the file, which the session never showed. */
	copiedKeys: readonly number[];
	/** Whether the file's first known text was written rather than read. */
	isNew: boolean;
}

/** The keys of the lines that an edit removes and adds. */
type EditedKeys = Pick<CallKeys, 'removedKeys' | 'liveKeys' | 'rewriting'>;

/** Name of an unknown file. */
export const unknownPath = '';

/** Tracks the lines of files. Paths with the same ending count as one file, because commands use relative paths. */
export class FileLines {
	private readonly files = new Map<string, KnownFile>();
	private readonly pathsByName = new Map<string, string[]>();
	/** The keys of all lines that a file lost. Another file may still have such a line. */
	private readonly lostKeys = new Set<number>();
	private readonly git = new GitState<LineChange>();

	/** Whether any file lost a line. */
	haveLostLines(): boolean {
		return this.lostKeys.size > 0;
	}

	/** Returns the keys of the lines that were in a file and are in no file now. O(lines). */
	listRemovedKeys(): Set<number> {
		const removed = new Set(this.lostKeys);
		if (removed.size === 0) return removed;
		for (const { presence } of this.files.values())
			for (const [key, isPresent] of presence) if (isPresent) removed.delete(key);
		return removed;
	}

	/** Whether a file has a line now; undefined if the session never showed that line of the file. */
	isPresent(path: string, key: number): boolean | undefined {
		return this.files.get(this.findPath(path) ?? path)?.presence.get(key);
	}

	/** Records lines that a result or a message shows. */
	addShownLines(path: string, keys: Iterable<number>, text = ''): void {
		const file = this.getFile(path);
		for (const key of keys) this.setLine(file, key, true);
		if (text !== '' && path !== unknownPath) addFileText(file, text);
	}

	/** Records a result that shows a whole file. Known lines of texts that it lacks were removed, perhaps by the user. */
	showWholeFile(path: string, keys: readonly number[], text: string): void {
		const file = this.getFile(path);
		const shown = new Set(keys);
		const isMissing = (key: number): boolean => file.presence.get(key) === true && !shown.has(key);
		// Two files may have paths with the same ending.
		if (file.path === path && [...file.presence.keys()].some(isMissing)) {
			const lines = new Set(file.texts.flatMap((one) => one.split('\n')));
			let comparedCount = 0;
			for (const line of lines) {
				const key = line.length <= maxComparedLength ? computeLineKey(line) : 0;
				if (!isMissing(key) || ++comparedCount > maxComparedLines) continue;
				// An edit may have written a part of a line.
				if (!text.includes(line.slice(skipLineNumber(line, 0)).trim())) this.changeLine(file, key, false);
			}
		}
		this.addShownLines(path, keys, text);
	}

	/** Applies an edit: the lines that it removes and adds, or the whole new text. */
	applyEdit(path: string, { removedKeys, liveKeys, rewriting }: EditedKeys, texts: readonly string[]): void {
		const file = this.getFile(path);
		if (rewriting?.kind === 'whole') {
			file.isNew ||= file.presence.size === 0;
			this.clearLines(file);
		}
		if (rewriting?.kind === 'words') this.removeLinesWith(file, rewriting.old);
		for (const key of removedKeys) this.changeLine(file, key, false);
		for (const key of liveKeys) this.changeLine(file, key, true);
		for (const text of texts) addFileText(file, text);
	}

	/** Applies an edit whose lines belong to unknown files among `paths`, or among all files if `paths` is empty. */
	applyEditToFiles(paths: readonly string[], { removedKeys, liveKeys }: EditedKeys): void {
		if (removedKeys.length > 0) {
			const files = paths.length > 0 ? paths.map((path) => this.getFile(path)) : [...this.files.values()];
			for (const key of removedKeys) {
				const holders = files.filter(({ presence }) => presence.get(key));
				for (const file of holders.length === 0 ? [this.getFile(unknownPath)] : holders)
					this.changeLine(file, key, false);
			}
		}
		this.addShownLines(unknownPath, liveKeys);
	}

	/** Removes all lines of a file, or of the files in a folder. */
	removePath(path: string): void {
		for (const name of this.expandPath(path)) this.clearLines(this.getFile(name));
	}

	/** Applies a change that a command made. */
	applyChange(change: ShellFileChange): void {
		switch (change.type) {
			case 'moved':
				for (const name of this.expandPath(change.path)) this.moveLines(this.getFile(name), change.to);
				return;
			case 'replaced':
				for (const name of this.expandPath(change.path))
					this.removeLinesWith(this.getFile(name), change.words, change.isLine);
				return;
			case 'rewritten':
				this.rewriteFile(this.getFile(change.path), change.from);
				return;
			case 'staged':
			case 'unstaged':
			case 'listed':
			case 'uncommitted':
				// Which lines a commit leaves out matters only if git discards them later.
				return;
			default:
				this.applyGit(change);
		}
	}

	/**
	 * Removes a file's lines. It then has those of the file `from`, if that is known. The lines of a copy that the session
	 * never showed are only stored: they must not make a line of the original look present after it was changed.
	 */
	private rewriteFile(file: KnownFile, from: string | undefined): void {
		const origin = from === undefined ? undefined : this.getFile(from);
		if (origin === file) return;
		const wasShown = file.presence.size > 0;
		file.isNew ||= !wasShown;
		this.clearLines(file);
		if (origin === undefined || origin.presence.size + origin.copiedKeys.length > maxCopiedLines) return;
		const present = [...origin.presence].flatMap(([key, isPresent]) => (isPresent ? [key] : []));
		const keys = [...present, ...origin.copiedKeys];
		if (wasShown) for (const key of keys) this.changeLine(file, key, true);
		else file.copiedKeys = keys;
		file.texts = [...origin.texts];
	}

	private applyGit(change: ShellFileChange): void {
		const names =
			'path' in change && change.path !== undefined ? new Set(this.expandPath(change.path)) : undefined;
		// Without a path, git does not affect new files: files written before any read and never committed.
		const isTracked = (path: string): boolean => !this.getFile(path).isNew || this.git.isCommitted(path);
		const isAffected = ({ path }: LineChange): boolean => {
			if (change.type === 'cleaned') return (names?.has(path) ?? true) && !isTracked(path);
			const includesNewFiles = change.type === 'stashed' && change.includesNewFiles === true;
			return names?.has(path) ?? (includesNewFiles || isTracked(path));
		};
		const { undone, redone } = this.git.apply(change, isAffected);
		for (const { path, key, wasPresent } of undone)
			this.setLine(this.getFile(path), key, wasPresent === true);
		for (const { path, key, wasPresent } of redone)
			this.changeLine(this.getFile(path), key, wasPresent !== true);
	}

	private moveLines({ path, presence, texts }: KnownFile, to: string): void {
		const presentKeys = [...presence].filter(([, isPresent]) => isPresent).map(([key]) => key);
		const target = this.getFile(to === '.' ? path : to);
		if (target.presence === presence) return;
		this.clearLines(target);
		for (const key of presentKeys) this.setLine(target, key, true);
		target.texts = texts;
		this.files.set(path, createKnownFile(path));
		for (const key of presentKeys) this.lostKeys.add(key);
	}

	private clearLines(file: KnownFile): void {
		for (const [key, isThere] of file.presence) if (isThere) this.changeLine(file, key, false);
		file.texts = [];
	}

	/** Removes the lines that contain these words, or consist of them. */
	private removeLinesWith(file: KnownFile, words: string, isLine = false): void {
		const isRemoved = (line: string): boolean =>
			line.includes(words) && (!isLine || line.slice(skipLineNumber(line, 0)).trim() === words);
		for (const text of file.texts)
			for (const key of computeLineKeys(text.split('\n').filter(isRemoved)))
				if (file.presence.get(key)) this.changeLine(file, key, false);
	}

	private changeLine(file: KnownFile, key: number, isPresent: boolean): void {
		const wasPresent = file.presence.get(key);
		if (wasPresent !== isPresent) this.git.record({ path: file.path, key, wasPresent });
		this.setLine(file, key, isPresent);
		// A line from a text without a file name came from this file or from a copy of it.
		const other = this.files.get(unknownPath);
		if (!isPresent && other?.presence.get(key)) this.setLine(other, key, false);
	}

	private setLine({ presence }: KnownFile, key: number, isPresent: boolean): void {
		presence.set(key, isPresent);
		if (!isPresent) this.lostKeys.add(key);
	}

	private getFile(path: string): KnownFile {
		return getOrInsert(this.files, this.resolvePath(path), createKnownFile);
	}

	/** Returns the first known path of a file. Other paths of the file may be shorter or longer. */
	private resolvePath(path: string): string {
		const knownPath = this.findPath(path);
		if (knownPath === undefined) getOrInsert(this.pathsByName, getFileName(path), () => []).push(path);
		return knownPath ?? path;
	}

	private findPath(path: string): string | undefined {
		if (path === unknownPath || this.files.has(path)) return path;
		const sameNamePaths = this.pathsByName.get(getFileName(path)) ?? [];
		return sameNamePaths.find((one) => mayBeSamePath(one, path));
	}

	/** Returns the files that a path names: the file itself, the files in a folder, or the files that match a `*`. */
	private expandPath(path: string): string[] {
		const [start = '', ...rest] = path.split('*');
		const end = rest.at(-1);
		if (end !== undefined)
			return [...this.files.keys()].filter(
				(name) => name.includes(start) && name.endsWith(end) && name !== '',
			);
		const pathsWithin = [...this.files.keys()].filter((name) => `/${name}`.includes(`/${path}/`));
		return [this.resolvePath(path), ...pathsWithin];
	}
}

function createKnownFile(path: string): KnownFile {
	return { path, presence: new Map(), texts: [], copiedKeys: [], isNew: false };
}

function addFileText({ texts }: KnownFile, text: string): void {
	texts.push(text);
	if (texts.length > maxTextsOfFile) texts.shift();
}
