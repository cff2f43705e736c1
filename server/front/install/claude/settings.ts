/** Our entries in Claude Code's settings file. */

import { join } from 'node:path';
import { isFields } from '../../../core/shape.ts';
import { reasonOf, workFailed } from '../../console/failure.ts';
import type { InstallPlace } from '../parts/agent.ts';
import { withMember, withoutMember } from '../parts/jsonText.ts';
import { bytesOf } from '../parts/replaceFile.ts';

/** The plugin as Claude Code names it: behind the `@` stands the marketplace. */
export const pluginId = 'contextd@contextd';
export const marketplace = 'contextd';

/** The folder of Claude Code's settings. */
export function configFolder({ env, home }: InstallPlace): string {
	return env.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

/** The file of the user's own settings. */
export function settingsFile(place: InstallPlace): string {
	return join(configFolder(place), 'settings.json');
}

/** A settings file as it stands. */
export interface Settings {
	/** Absent where there is no file. */
	bytes?: Buffer;
	/** Of the file; an empty object where there is none. */
	text: string;
	values: Readonly<Record<string, unknown>>;
}

/** Reads the settings. Fails with exit code 1, in one line, where they are no JSON object. */
export async function readSettings(path: string): Promise<Settings> {
	const refuse = (why: string): Error => workFailed(`${path} ${why}; it was left as it is`);
	const bytes = await bytesOf(path).catch((error: unknown) => {
		throw refuse(`cannot be read: ${reasonOf(error)}`);
	});
	const text = bytes?.toString('utf8') ?? '';
	if (text.trim() === '') return { bytes, text: '{}\n', values: {} };
	const values = parsed(text);
	if (!isFields(values)) throw refuse('is not the JSON that Claude Code reads');
	return { bytes, text, values };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** The command of a status line; undefined where the settings name none. */
export function statusCommand(values: Settings['values']): string | undefined {
	const { statusLine } = values;
	if (!isFields(statusLine) || statusLine.type !== 'command') return undefined;
	return typeof statusLine.command === 'string' ? statusLine.command : undefined;
}

/** Whether the settings name a status line of a kind that cannot be chained. */
export function isForeignStatusLine(values: Settings['values']): boolean {
	return values.statusLine !== undefined && statusCommand(values) === undefined;
}

/** The settings' text with a status line's command; what else is set of it stays. */
export function withStatusCommand(text: string, values: Settings['values'], command: string): string {
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

/**
 * The settings' text without our own entries.
 * @param status the command that we left as the status line, and the one that was there before
 */
export function withoutOurs(
	text: string,
	values: Settings['values'],
	status: { left?: string; before?: string },
): string {
	let kept = text;
	for (const [group, own] of [
		['enabledPlugins', pluginId],
		['extraKnownMarketplaces', marketplace],
	] as const) {
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
