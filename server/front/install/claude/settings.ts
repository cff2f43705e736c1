/** Reads and edits the entries of contextd in Claude Code's settings file. */

import { isUtf8 } from 'node:buffer';
import { join, resolve } from 'node:path';
import { isFields, tryParseJson } from '../../../core/shape.ts';
import { createWorkFailure, describeSystemError } from '../../console/failure.ts';
import type { Machine } from '../parts/agent.ts';
import { readBytesIfExists, replaceFile } from '../parts/files.ts';
import { removeMember, setMember } from '../parts/jsonText.ts';

/** The plugin's id in Claude Code: its name, an `@`, and the name of its marketplace. */
export const pluginId = 'contextd@contextd';
export const pluginMarketplace = 'contextd';

/** Our entry in each group of Claude Code's settings that names plugins. */
const ownEntryByGroup = { enabledPlugins: pluginId, extraKnownMarketplaces: pluginMarketplace };

/** Returns the folder of Claude Code's settings. */
export function getClaudeConfigFolder({ env, home }: Machine): string {
	return env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, '.claude');
}

/** Returns the path of the user's own settings file. */
export function getSettingsPath(machine: Machine): string {
	return join(getClaudeConfigFolder(machine), 'settings.json');
}

/** The content of a settings file. */
export interface ClaudeSettings {
	/** Bytes of the file; absent if there is no file. */
	bytes?: Buffer;
	/** The byte order mark that some editors write; empty if there is none. */
	mark: string;
	/** Text after the byte order mark; an empty JSON object if there is no file. */
	text: string;
	values: Readonly<Record<string, unknown>>;
}

const byteOrderMark = '\ufeff';

/** Reads the settings; throws with exit code 1 if they are not a valid JSON object. */
export async function readClaudeSettings(path: string): Promise<ClaudeSettings> {
	const refuse = (reason: string): Error => createWorkFailure(`${path} ${reason}; it was left unchanged`);
	const bytes = await readBytesIfExists(path).catch((error: unknown) => {
		throw refuse(`cannot be read: ${describeSystemError(error)}`);
	});
	if (bytes !== undefined && !isUtf8(bytes)) throw refuse('is not UTF-8 text');
	const settings = parseClaudeSettings(bytes);
	if (settings === undefined) throw refuse('is not a JSON object');
	for (const group of Object.keys(ownEntryByGroup)) {
		if (settings.values[group] !== undefined && !isFields(settings.values[group]))
			throw refuse(`has ${group} that are not an object`);
	}
	return settings;
}

/** Parses the bytes of a settings file; undefined if they are not a JSON object. */
export function parseClaudeSettings(bytes: Buffer | undefined): ClaudeSettings | undefined {
	const fileText = bytes?.toString('utf8') ?? '';
	const mark = fileText.startsWith(byteOrderMark) ? byteOrderMark : '';
	const text = fileText.slice(mark.length);
	if (text.trim() === '') return { bytes, mark, text: '{}\n', values: {} };
	const values = tryParseJson(text)?.value;
	return isFields(values) ? { bytes, mark, text, values } : undefined;
}

/** Writes a new text of the settings. Returns the written bytes. */
export async function writeClaudeSettings(
	path: string,
	{ mark }: ClaudeSettings,
	text: string,
): Promise<Buffer> {
	const bytes = Buffer.from(mark + text);
	await replaceFile(path, bytes, 0o600);
	return bytes;
}

/** Returns the command of the status line; undefined if there is none. */
export function readStatusCommand(values: ClaudeSettings['values']): string | undefined {
	const { statusLine } = values;
	if (!isFields(statusLine) || statusLine.type !== 'command') return undefined;
	return typeof statusLine.command === 'string' ? statusLine.command : undefined;
}

/** Returns whether the settings have a status line of a kind that cannot be combined with contextd's. */
export function isForeignStatusLine(values: ClaudeSettings['values']): boolean {
	return values.statusLine !== undefined && readStatusCommand(values) === undefined;
}

/** Returns the text of settings with this command as status line; other members of the status line stay. */
export function setStatusCommand(text: string, values: ClaudeSettings['values'], command: string): string {
	if (readStatusCommand(values) !== undefined) return setMember(text, ['statusLine', 'command'], command);
	return setMember(text, ['statusLine'], { type: 'command', command });
}

/** Returns the text of settings with the plugin and its marketplace added. */
export function addPluginEntry(text: string, folder: string): string {
	const source = { source: { source: 'directory', path: folder } };
	return setMember(
		setMember(text, ['extraKnownMarketplaces', pluginMarketplace], source),
		['enabledPlugins', pluginId],
		true,
	);
}

/** Returns all settings except the plugin, without groups that would then be empty. */
export function omitPlugin(values: ClaudeSettings['values']): ClaudeSettings['values'] {
	const cleaned = { ...values };
	for (const [group, key] of Object.entries(ownEntryByGroup)) {
		const { [key]: _own, ...others } = isFields(values[group]) ? values[group] : {};
		if (Object.keys(others).length > 0) cleaned[group] = others;
		else delete cleaned[group];
	}
	return cleaned;
}

/**
 * Returns the text of settings without the entries of contextd.
 * @param status the status line's command before and after the installation
 */
export function removeOwnEntries(
	text: string,
	values: ClaudeSettings['values'],
	status: { after?: string; before?: string },
): string {
	let rest = text;
	for (const [group, key] of Object.entries(ownEntryByGroup)) {
		const entries = values[group];
		if (!isFields(entries) || !(key in entries)) continue;
		rest = Object.keys(entries).length === 1 ? removeMember(rest, [group]) : removeMember(rest, [group, key]);
	}
	if (status.after === undefined || readStatusCommand(values) !== status.after) return rest;
	return status.before === undefined
		? removeMember(rest, ['statusLine'])
		: setMember(rest, ['statusLine', 'command'], status.before);
}
