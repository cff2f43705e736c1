/** What `contextd setup` changed, recorded so that `--undo` can revert it. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields, tryParseJson } from '../../core/shape.ts';
import { workFailed } from '../console/failure.ts';
import { readBytesIfExists, replaceFile } from '../install/parts/replaceFile.ts';
import type { EntryPath } from './jsonEntry.ts';

/** A file of the user with our lines, or with an entry of ours. */
export interface EditedFile {
	path: string;
	/** The file's bytes without our lines, as base64; null if there was no file. */
	saved: string | null;
	/** SHA-256 of its bytes with our lines, hexadecimal. */
	left: string;
	/** Whether we added the line end before our lines. */
	lineEndAdded: boolean;
	/** The outermost folder that was created for it. */
	made?: string;
	/** Our entry, if it is a JSON file; absent: it has our lines between marker comments. */
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

	/** Reads it again, since another setup may have changed it; throws with exit code 1 if it is damaged. */
	async reload(): Promise<void> {
		const { path } = this;
		const bytes = await readBytesIfExists(path);
		if (bytes === undefined) {
			this.#record = emptyRecord;
			return;
		}
		const value = tryParseJson(bytes.toString('utf8'))?.value;
		if (!isSetupRecord(value)) {
			throw workFailed(
				`${path} is damaged: restore it, or remove it; setup --undo then removes only the marked lines`,
			);
		}
		this.#record = value;
	}

	get agents(): readonly string[] {
		return this.#record.agents;
	}

	get editors(): readonly string[] {
		return this.#record.editors;
	}

	get files(): readonly EditedFile[] {
		return this.#record.files;
	}

	fileAt(path: string): EditedFile | undefined {
		return this.files.find((file) => file.path === path);
	}

	addAgent(name: string): Promise<void> {
		return this.#change(({ agents }) => ({ agents: [...new Set([...agents, name])] }));
	}

	addEditor(command: string): Promise<void> {
		return this.#change(({ editors }) => ({ editors: [...new Set([...editors, command])] }));
	}

	addFile(file: EditedFile): Promise<void> {
		return this.#change(({ files }) => ({
			files: [...files.filter(({ path }) => path !== file.path), file],
		}));
	}

	dropAgent(name: string): Promise<void> {
		return this.#change(({ agents }) => ({ agents: agents.filter((one) => one !== name) }));
	}

	dropEditor(command: string): Promise<void> {
		return this.#change(({ editors }) => ({ editors: editors.filter((one) => one !== command) }));
	}

	dropFile(path: string): Promise<void> {
		return this.#change(({ files }) => ({ files: files.filter((file) => file.path !== path) }));
	}

	async #change(change: (record: SetupRecord) => Partial<SetupRecord>): Promise<void> {
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
	return [agents, editors].every(areTexts) && Array.isArray(files) && files.every(isEditedFile);
}

function areTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isEditedFile(value: unknown): boolean {
	if (!isFields(value)) return false;
	const { path, saved, left, lineEndAdded, entry } = value;
	return (
		(entry === undefined || (areTexts(entry) && entry.length === 2)) &&
		typeof path === 'string' &&
		(saved === null || typeof saved === 'string') &&
		typeof left === 'string' &&
		typeof lineEndAdded === 'boolean'
	);
}
