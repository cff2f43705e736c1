/** Our entries in Claude Code's settings file. */

import { isUtf8 } from 'node:buffer';
import { join, resolve } from 'node:path';
import { isFields, tryParseJson } from '../../../core/shape.ts';
import { systemErrorReason, workFailed } from '../../console/failure.ts';
import type { InstallPlace } from '../parts/agent.ts';
import { withMember, withoutMember } from '../parts/jsonText.ts';
import { readBytesIfExists, replaceFile } from '../parts/replaceFile.ts';

/** The plugin's id in Claude Code; the marketplace follows the `@`. */
export const pluginId = 'contextd@contextd';
export const pluginMarketplace = 'contextd';

/** The groups of settings with the plugin, and our name in each. */
const entryOf = { enabledPlugins: pluginId, extraKnownMarketplaces: pluginMarketplace } as const;
const groups = ['enabledPlugins', 'extraKnownMarketplaces'] as const;

/** The folder of Claude Code's settings. */
export function claudeConfigFolder({ env, home }: InstallPlace): string {
	return env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(home, '.claude');
}

/** The file of the user's own settings. */
export function claudeSettingsFile(place: InstallPlace): string {
	return join(claudeConfigFolder(place), 'settings.json');
}

/** The content of a settings file. */
export interface ClaudeSettings {
	/** Absent if there is no file. */
	bytes?: Buffer;
	/** The byte order mark that some editors write; empty if there is none. */
	mark: string;
	/** Content after the mark; an empty object if there is no file. */
	text: string;
	values: Readonly<Record<string, unknown>>;
}

const byteOrderMark = '\ufeff';

/** Reads the settings. Throws one line with exit code 1 if they are not a valid JSON object. */
export async function readClaudeSettings(path: string): Promise<ClaudeSettings> {
	const refuse = (why: string): Error => workFailed(`${path} ${why}; it was left unchanged`);
	const bytes = await readBytesIfExists(path).catch((error: unknown) => {
		throw refuse(`cannot be read: ${systemErrorReason(error)}`);
	});
	if (bytes !== undefined && !isUtf8(bytes)) throw refuse('is not UTF-8 text');
	const settings = parseClaudeSettings(bytes);
	if (settings === undefined) throw refuse('is not a JSON object');
	for (const group of groups) {
		if (settings.values[group] !== undefined && !isFields(settings.values[group])) {
			throw refuse(`has ${group} that are not an object`);
		}
	}
	return settings;
}

/** Parses the bytes of a settings file; undefined if they are not a JSON object. */
export function parseClaudeSettings(bytes: Buffer | undefined): ClaudeSettings | undefined {
	const whole = bytes?.toString('utf8') ?? '';
	const mark = whole.startsWith(byteOrderMark) ? byteOrderMark : '';
	const text = whole.slice(mark.length);
	if (text.trim() === '') return { bytes, mark, text: '{}\n', values: {} };
	const values = tryParseJson(text)?.value;
	return isFields(values) ? { bytes, mark, text, values } : undefined;
}

/** Replaces the text of settings. Returns the bytes. */
export async function writeClaudeSettings(
	path: string,
	{ mark }: ClaudeSettings,
	text: string,
): Promise<Buffer> {
	const bytes = Buffer.from(mark + text);
	await replaceFile(path, bytes, 0o600);
	return bytes;
}

/** The command of the status line; undefined if there is none. */
export function statusCommand(values: ClaudeSettings['values']): string | undefined {
	const { statusLine } = values;
	if (!isFields(statusLine) || statusLine.type !== 'command') return undefined;
	return typeof statusLine.command === 'string' ? statusLine.command : undefined;
}

/** Whether the settings have a status line of a kind that cannot be combined with ours. */
export function isForeignStatusLine(values: ClaudeSettings['values']): boolean {
	return values.statusLine !== undefined && statusCommand(values) === undefined;
}

/** The settings' text with a command as status line; its other members stay. */
export function withStatusCommand(text: string, values: ClaudeSettings['values'], command: string): string {
	if (statusCommand(values) !== undefined) return withMember(text, ['statusLine', 'command'], command);
	return withMember(text, ['statusLine'], { type: 'command', command });
}

/** The settings' text with the plugin and its marketplace. */
export function withPlugin(text: string, folder: string): string {
	const source = { source: { source: 'directory', path: folder } };
	return withMember(
		withMember(text, ['extraKnownMarketplaces', pluginMarketplace], source),
		['enabledPlugins', pluginId],
		true,
	);
}

/** All settings besides the plugin, without groups that are then empty. */
export function settingsWithoutPlugin(values: ClaudeSettings['values']): ClaudeSettings['values'] {
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
export function withoutOwnEntries(
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
