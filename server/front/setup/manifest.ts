/** The record of what `contextd setup` changed, so that `--undo` can revert it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields, tryParseJson } from '../../core/shape.ts';
import { createWorkFailure } from '../console/failure.ts';
import { readBytesIfExists, replaceFile } from '../install/parts/files.ts';
import type { EntryPath } from '../install/parts/jsonText.ts';

/** A file of the user where setup added lines or an entry. */
export interface EditedFile {
	path: string;
	/** Bytes of the file without what setup added, as base64; null if there was no file. */
	saved: string | null;
	/** SHA-256 of the file's bytes after setup, in hexadecimal. */
	left: string;
	/** Whether setup also added the line end before its lines. */
	lineEndAdded: boolean;
	/** The outermost folder that setup created for the file. */
	made?: string;
	/** The added entry, if this is a JSON file; absent if setup added lines between marker comments. */
	entry?: EntryPath;
}

/** The content of the manifest. */
interface SetupRecord {
	/** Agents into which setup installed contextd. */
	agents: readonly string[];
	/** Commands of the editors into which setup installed the extension. */
	editors: readonly string[];
	files: readonly EditedFile[];
}

const emptyRecord: SetupRecord = { agents: [], editors: [], files: [] };

/**
 * The manifest in the state folder, readable by the user alone.
 *
 * Each change is recorded before it is made, so an interrupted setup can be continued and undone.
 */
export class SetupManifest {
	readonly path: string;
	#record: SetupRecord;

	private constructor(path: string, record: SetupRecord = emptyRecord) {
		this.path = path;
		this.#record = record;
	}

	/** Reads the manifest; throws with exit code 1 if it is damaged. */
	static async read(stateFolder: string): Promise<SetupManifest> {
		const manifest = new SetupManifest(join(stateFolder, 'setup', 'manifest.json'));
		await manifest.reload();
		return manifest;
	}

	/** Reads the manifest again, because another setup may have changed it; throws with exit code 1 if it is damaged. */
	async reload(): Promise<void> {
		const { path } = this;
		const bytes = await readBytesIfExists(path);
		if (bytes === undefined) {
			this.#record = emptyRecord;
			return;
		}
		const value = tryParseJson(bytes.toString('utf8'))?.value;
		if (!isSetupRecord(value)) {
			throw createWorkFailure(
				`${path} is damaged: restore it, or remove it; setup --undo then removes only the marked lines`,
			);
		}
		this.#record = value;
	}

	get record(): SetupRecord {
		return this.#record;
	}

	findFile(path: string): EditedFile | undefined {
		return this.#record.files.find((file) => file.path === path);
	}

	/** Adds the name of an agent or the command of an editor. */
	addName(list: 'agents' | 'editors', name: string): Promise<void> {
		return this.#changeRecord((record) => ({ [list]: [...new Set([...record[list], name])] }));
	}

	addFile(file: EditedFile): Promise<void> {
		return this.#changeRecord(({ files }) => ({
			files: [...files.filter(({ path }) => path !== file.path), file],
		}));
	}

	removeName(list: 'agents' | 'editors', name: string): Promise<void> {
		return this.#changeRecord((record) => ({ [list]: record[list].filter((one) => one !== name) }));
	}

	removeFile(path: string): Promise<void> {
		return this.#changeRecord(({ files }) => ({ files: files.filter((file) => file.path !== path) }));
	}

	async #changeRecord(change: (record: SetupRecord) => Partial<SetupRecord>): Promise<void> {
		await this.reload();
		const record = { ...this.#record, ...change(this.#record) };
		const isEmpty = [record.agents, record.editors, record.files].every(({ length }) => length === 0);
		if (isEmpty) await rm(this.path, { force: true });
		else await replaceFile(this.path, `${JSON.stringify(record, null, 1)}\n`, 0o600);
		this.#record = record;
	}
}

function isSetupRecord(value: unknown): value is SetupRecord {
	if (!isFields(value)) return false;
	const { agents, editors, files } = value;
	return [agents, editors].every(isTextList) && Array.isArray(files) && files.every(isEditedFile);
}

function isTextList(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isEditedFile(value: unknown): boolean {
	if (!isFields(value)) return false;
	const { path, saved, left, lineEndAdded, entry } = value;
	return (
		(entry === undefined || (isTextList(entry) && entry.length === 2)) &&
		typeof path === 'string' &&
		(saved === null || typeof saved === 'string') &&
		typeof left === 'string' &&
		typeof lineEndAdded === 'boolean'
	);
}
