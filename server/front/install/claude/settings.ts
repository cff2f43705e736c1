/** Our entries in Claude Code's settings file. */

import { isUtf8 } from 'node:buffer';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ifThere } from '../../../core/failure.ts';
import { isFields, parsedJson } from '../../../core/shape.ts';
import { reasonOf, workFailed } from '../../console/failure.ts';
import type { InstallPlace } from '../parts/agent.ts';
import { withMember, withoutMember } from '../parts/jsonText.ts';
import { bytesAt, replaceFile, targetOf } from '../parts/replaceFile.ts';

/** The plugin as Claude Code names it: behind the `@` stands the marketplace. */
export const pluginId = 'contextd@contextd';
export const marketplace = 'contextd';

/** The entries of the settings that name the plugin, and our name in each. */
const entryOf = { enabledPlugins: pluginId, extraKnownMarketplaces: marketplace } as const;
const groups = ['enabledPlugins', 'extraKnownMarketplaces'] as const;

/** The folder of Claude Code's settings. */
export function configFolder({ env, home }: InstallPlace): string {
	return env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, '.claude');
}

/** The file of the user's own settings. */
export function settingsFile(place: InstallPlace): string {
	return join(configFolder(place), 'settings.json');
}

/** A settings file as it stands. */
export interface ClaudeSettings {
	/** Absent where there is no file. */
	bytes?: Buffer;
	/** The mark that some editors begin a file with; empty where there is none. */
	mark: string;
	/** Of the file, behind the mark; an empty object where there is none. */
	text: string;
	values: Readonly<Record<string, unknown>>;
}

const byteOrderMark = '\ufeff';

/** Reads the settings. Fails with exit code 1, in one line, where they are no JSON object, or not made as they must be. */
export async function readSettings(path: string): Promise<ClaudeSettings> {
	const refuse = (why: string): Error => workFailed(`${path} ${why}; it was left as it is`);
	const bytes = await bytesAt(path).catch((error: unknown) => {
		throw refuse(`cannot be read: ${reasonOf(error)}`);
	});
	if (bytes !== undefined && !isUtf8(bytes)) throw refuse('is no text in UTF-8');
	const settings = settingsIn(bytes);
	if (settings === undefined) throw refuse('is not the JSON that Claude Code reads');
	for (const group of groups) {
		if (settings.values[group] !== undefined && !isFields(settings.values[group])) {
			throw refuse(`has ${group} that are no object`);
		}
	}
	return settings;
}

/** What the bytes of a settings file say; undefined where they are no JSON object. */
export function settingsIn(bytes: Buffer | undefined): ClaudeSettings | undefined {
	const whole = bytes?.toString('utf8') ?? '';
	const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : '';
	const text = whole.slice(mark.length);
	if (text.trim() === '') return { bytes, mark, text: '{}\n', values: {} };
	const values = parsedJson(text)?.value;
	return isFields(values) ? { bytes, mark, text, values } : undefined;
}

/** Fails with exit code 1, in one line, where the settings may not be written: they are then as they were. */
export async function requireWritable(path: string): Promise<void> {
	const target = await targetOf(path);
	const found = await stat(target).catch(() => undefined);
	// A file that nobody may write is meant so, even where whoever runs this may do anything.
	if (found !== undefined && (found.mode & 0o222) === 0)
		throw workFailed(`${path} is read-only; it was left as it is`);
	const place = found === undefined ? await nearestFolder(dirname(target)) : dirname(target);
	await access(place, constants.W_OK).catch((error) => {
		throw workFailed(`${path} cannot be written: ${reasonOf(error)}; it was left as it is`);
	});
}

async function nearestFolder(folder: string): Promise<string> {
	const found = await ifThere(stat(folder)).catch(() => folder);
	return found || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/** Writes a text in place of settings. Gives the bytes. */
export async function writeSettings(path: string, { mark }: ClaudeSettings, text: string): Promise<Buffer> {
	const bytes = Buffer.from(mark + text);
	await replaceFile(path, bytes, 0o600);
	return bytes;
}

/** The command of a status line; undefined where the settings name none. */
export function statusCommand(values: ClaudeSettings['values']): string | undefined {
	const { statusLine } = values;
	if (!isFields(statusLine) || statusLine.type !== 'command') return undefined;
	return typeof statusLine.command === 'string' ? statusLine.command : undefined;
}

/** Whether the settings name a status line of a kind that cannot be chained. */
export function isForeignStatusLine(values: ClaudeSettings['values']): boolean {
	return values.statusLine !== undefined && statusCommand(values) === undefined;
}

/** The settings' text with a status line's command; what else is set of it stays. */
export function withStatusCommand(text: string, values: ClaudeSettings['values'], command: string): string {
	if (statusCommand(values) !== undefined) return withMember(text, ['statusLine', 'command'], command);
	return withMember(text, ['statusLine'], { type: 'command', command });
}

/** The settings' text with the plugin and where it comes from. */
export function withPlugin(text: string, folder: string): string {
	const source = { source: { source: 'directory', path: folder } };
	return withMember(
		withMember(text, ['extraKnownMarketplaces', marketplace], source),
		['enabledPlugins', pluginId],
		true,
	);
}

/** All that settings say beside the plugin; groups of entries that are empty say nothing. */
export function besidePlugin(values: ClaudeSettings['values']): ClaudeSettings['values'] {
	const kept = { ...values };
	for (const group of groups) {
		const { [entryOf[group]]: _own, ...others } = isFields(values[group]) ? values[group] : {};
		if (Object.keys(others).length > 0) kept[group] = others;
		else delete kept[group];
	}
	return kept;
}

/**
 * The settings' text without our own entries.
 * @param status the command that we left as the status line, and the one that was there before
 */
export function withoutOurs(
	text: string,
	values: ClaudeSettings['values'],
	status: { left?: string; before?: string },
): string {
	let kept = text;
	for (const group of groups) {
		const own = entryOf[group];
		const entries = values[group];
		if (!isFields(entries) || !(own in entries)) continue;
		kept =
			Object.keys(entries).length === 1 ? withoutMember(kept, [group]) : withoutMember(kept, [group, own]);
	}
	if (status.left === undefined || statusCommand(values) !== status.left) return kept;
	return status.before === undefined
		? withoutMember(kept, ['statusLine'])
		: withMember(kept, ['statusLine', 'command'], status.before);
}
