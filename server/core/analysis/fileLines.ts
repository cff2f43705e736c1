/** Tracks the current lines of each file of a session, as far as calls and results show them. */

import { GitState } from '../files/gitState.ts';
import type { ShellFileChange } from '../files/touches/shell/fileChanges.ts';
import { getOrInsert } from '../getOrInsert.ts';
import { type CallKeys, keysOfLinesContaining } from './lineKeys.ts';

/** Number of newest texts of a file that are searched for replaced words. */
const maxTextsOfFile = 40;

/** A line of a file, by its key. */
interface FileLine {
	path: string;
	key: number;
	/** Whether the file had the line before; undefined if the line was unknown. */
	before: boolean | undefined;
}

/** Known lines and texts of a file. */
interface KnownFile {
	/** Whether the file has a line now, by the key of the line. */
	lines: Map<number, boolean>;
	/** Texts that showed the file or were written to it, newest last. */
	texts: string[];
	/** Whether the file's first known text was written rather than read. */
	isNew: boolean;
}

/** Name of an unknown file. */
export const unknownFile = '';

/** Tracks the lines of files through a session. Paths with the same end are one file, since commands use relative paths. */
export class FileLines {
	private readonly files = new Map<string, KnownFile>();
	private readonly byName = new Map<string, string[]>();
	/** Number of files that have a line, by the key of the line. */
	private readonly counts = new Map<number, number>();
	private readonly git = new GitState<FileLine>();

	/** Whether some file had a line and none has it now. */
	isRemoved(key: number): boolean {
		return this.counts.get(key) === 0;
	}

	/** Records lines that a result or a message shows. */
	show(path: string, keys: Iterable<number>, text = ''): void {
		const file = this.file(path);
		for (const key of keys) this.set(file, key, true);
		if (text !== '' && path !== unknownFile) addFileText(file, text);
	}

	/** Applies an edit: the lines that it removes and adds, or the whole new text. */
	edit(path: string, { old, live, rewriting }: CallKeys, texts: readonly string[]): void {
		const file = this.file(path);
		if (rewriting?.kind === 'whole') {
			file.isNew ||= file.lines.size === 0;
			this.clear(path);
		}
		if (rewriting?.kind === 'words') this.dropWords(path, rewriting.old);
		for (const key of old) this.change(path, key, false);
		for (const key of live) this.change(path, key, true);
		for (const text of texts) addFileText(file, text);
	}

	/** Applies an edit of several files if it is unknown which line belongs to which file; without paths, to any file. */
	editSeveral(paths: readonly string[], { old, live }: CallKeys): void {
		const names = paths.length === 0 ? [...this.files.keys()] : paths;
		for (const key of old) {
			const having = names.filter((name) => this.file(name).lines.get(key));
			for (const name of having.length === 0 ? [unknownFile] : having) this.change(name, key, false);
		}
		this.show(unknownFile, live);
	}

	/** Removes all lines of a file, or of the files in a folder. */
	remove(path: string): void {
		for (const name of this.namesOf(path)) this.clear(name);
	}

	/** Applies a change that a command made. */
	apply(change: ShellFileChange): void {
		switch (change.type) {
			case 'moved':
				for (const name of this.namesOf(change.path)) this.move(name, change.to);
				return;
			case 'replaced':
				for (const name of this.namesOf(change.path)) this.dropWords(name, change.words);
				return;
			default:
				this.applyGit(change);
		}
	}

	private applyGit(change: ShellFileChange): void {
		const names =
			'path' in change && change.path !== undefined ? new Set(this.namesOf(change.path)) : undefined;
		// Without a path, git does not change new files.
		const isMeant = ({ path }: FileLine): boolean =>
			names?.has(path) ?? (!this.file(path).isNew || this.git.isCommitted(path));
		const { undone, redone } = this.git.apply(change.type, isMeant);
		for (const { path, key, before } of undone) this.set(this.file(path), key, before === true);
		for (const { path, key, before } of redone) this.change(path, key, before !== true);
	}

	private move(path: string, to: string): void {
		const { lines, texts } = this.file(path);
		const there = [...lines].filter(([, isThere]) => isThere).map(([key]) => key);
		const target = this.file(to === '.' ? path : to);
		if (target.lines === lines) return;
		for (const key of there) this.set(target, key, true);
		target.texts = texts;
		this.files.set(path, createKnownFile());
		for (const key of there) this.count(key, -1);
	}

	private clear(path: string): void {
		const file = this.file(path);
		for (const [key, isThere] of file.lines) if (isThere) this.change(path, key, false);
		file.texts = [];
	}

	private dropWords(path: string, words: string): void {
		const file = this.file(path);
		for (const text of file.texts)
			for (const key of keysOfLinesContaining(text, words))
				if (file.lines.get(key)) this.change(path, key, false);
	}

	private change(path: string, key: number, isThere: boolean): void {
		const file = this.file(path);
		const before = file.lines.get(key);
		if (before !== isThere) this.git.record({ path: this.nameOf(path), key, before });
		this.set(file, key, isThere);
		// The lines of unnamed texts belonged to this file, or to a copy of the file.
		const other = this.files.get(unknownFile);
		if (!isThere && other?.lines.get(key)) this.set(other, key, false);
	}

	private set({ lines }: KnownFile, key: number, isThere: boolean): void {
		const before = lines.get(key) === true;
		lines.set(key, isThere);
		this.count(key, Number(isThere) - Number(before));
	}

	private count(key: number, more: number): void {
		this.counts.set(key, (this.counts.get(key) ?? 0) + more);
	}

	private file(path: string): KnownFile {
		return getOrInsert(this.files, this.nameOf(path), createKnownFile);
	}

	/** Returns the first known name of a file, which other paths may abbreviate or extend. */
	private nameOf(path: string): string {
		if (path === unknownFile || this.files.has(path)) return path;
		const end = path.slice(path.lastIndexOf('/') + 1);
		const alike = getOrInsert(this.byName, end, () => []);
		const known = alike.find((one) => one.endsWith(`/${path}`) || path.endsWith(`/${one}`));
		if (known !== undefined) return known;
		alike.push(path);
		return path;
	}

	/** Returns the files that a path names: the file itself, the files in a folder, or the files that match a `*`. */
	private namesOf(path: string): string[] {
		const [start = '', ...rest] = path.split('*');
		const end = rest.at(-1);
		if (end !== undefined)
			return [...this.files.keys()].filter(
				(name) => name.includes(start) && name.endsWith(end) && name !== '',
			);
		const within = [...this.files.keys()].filter((name) => `/${name}`.includes(`/${path}/`));
		return [this.nameOf(path), ...within];
	}
}

function createKnownFile(): KnownFile {
	return { lines: new Map(), texts: [], isNew: false };
}

function addFileText({ texts }: KnownFile, text: string): void {
	texts.push(text);
	if (texts.length > maxTextsOfFile) texts.shift();
}
