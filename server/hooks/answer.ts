/** Answers a settings hook of Claude Code, if no mod is active. */

import { resolve } from 'node:path';
import { isAnsweringDaemonAlive } from '../channel/answerMarks.ts';
import { exceedsTokens } from '../core/measure/text/textCounter.ts';
import { shortenToTokens } from '../core/output/shortenResult.ts';
import { checkLayer, mergeLayers } from '../core/settings/layers.ts';
import { isFields, tryParseJson } from '../core/shape.ts';
import { firstText } from '../core/values.ts';
import { cleanSavedOutputs, saveOutput } from '../node/files/savedOutputs.ts';
import { readSettingsFile } from '../node/settings/settingsFile.ts';
import { getDefaultStateFolder } from '../node/stateFolder.ts';
import { writeInstructions, writeTextAfterCompaction } from './record.ts';
import { readTranscriptSources } from './transcriptSources.ts';

/**
 * Returns a response with each output shortened to `tokens` estimated tokens; undefined if nothing changes.
 * @param tokens 0: nothing is shortened
 * @param save stores a whole output, and returns the path of its file
 */
async function shortenOutputs(
	response: ShellResponse,
	tokens: number,
	save: (output: string) => Promise<string>,
): Promise<ShellResponse | undefined> {
	// Claude Code shows only the beginning of outputs that it persists, and an image is not text.
	if (tokens <= 0 || response.isImage === true || response.persistedOutputPath !== undefined)
		return undefined;
	const [stdout, stderr] = await Promise.all(
		[response.stdout, response.stderr].map(async (output) => {
			if (!exceedsTokens(output, tokens)) return output;
			return shortenToTokens(output, tokens, `the whole output is in ${await save(output)}`);
		}),
	);
	if (stdout === response.stdout && stderr === response.stderr) return undefined;
	return { ...response, stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** The environment of the hook's process. */
export interface HookContext {
	/** The file of `--settings-from`. */
	settingsPath: string;
	platform: NodeJS.Platform;
	/** The home of the user's account. */
	home: string;
	/** Milliseconds since the epoch. */
	now(): number;
}

/** The settings that hooks use, and the state folder. */
interface HookSettings {
	toolResultTokens: number;
	stateFolder: string;
}

async function readHookSettings({ settingsPath, platform, home }: HookContext): Promise<HookSettings> {
	const { path, value } = await readSettingsFile(settingsPath);
	const { agents, storage } = mergeLayers([checkLayer(value, path)]);
	const { directory } = storage;
	const stateFolder = directory === '' ? getDefaultStateFolder({}, platform, home) : resolve(directory);
	return { toolResultTokens: agents.toolResultTokens, stateFolder };
}

/** Returns what to print for Claude Code's input; empty if there is nothing to print, or if the mod serves the session. */
export async function createHookAnswer(input: string, context: HookContext): Promise<string> {
	const event = parseHookEvent(input);
	if (event === undefined) return '';
	const settings = await readHookSettings(context);
	if (await isAnsweringDaemonAlive(settings.stateFolder, `claude:${event.sessionId}`)) return '';
	return answerEvent(event, settings, context);
}

async function answerEvent(event: HookEvent, settings: HookSettings, { now }: HookContext): Promise<string> {
	switch (event.name) {
		case 'PreCompact':
			return writeInstructions(await readTranscriptSources(event.transcript), event.instructions);
		case 'SessionStart': {
			const additionalContext = writeTextAfterCompaction(await readTranscriptSources(event.transcript));
			return additionalContext === '' ? '' : formatOutput(event.name, { additionalContext });
		}
		case 'PostToolUse': {
			const { stateFolder, toolResultTokens } = settings;
			const updatedToolOutput = await shortenOutputs(event.response, toolResultTokens, async (output) => {
				await cleanSavedOutputs({ stateFolder }, now());
				return saveOutput(output, { stateFolder });
			});
			return updatedToolOutput === undefined ? '' : formatOutput(event.name, { updatedToolOutput });
		}
	}
}

/** Wraps an answer in the output format of an event. */
function formatOutput(hookEventName: HookEvent['name'], answer: object): string {
	return JSON.stringify({ hookSpecificOutput: { hookEventName, ...answer } });
}

/** A hook event that this program answers. */
type HookEvent = { sessionId: string } & (
	| { name: 'PreCompact'; transcript: string; instructions?: string }
	/** Sent after a compaction of the conversation. */
	| { name: 'SessionStart'; transcript: string }
	| { name: 'PostToolUse'; response: ShellResponse }
);

/** The response of a shell call, as Claude Code passes it; other members are retained. */
interface ShellResponse {
	stdout: string;
	stderr: string;
	isImage?: unknown;
	/** Path of the file in which Claude Code itself stored an output that is too long. */
	persistedOutputPath?: unknown;
}

function parseShellResponse(value: unknown): ShellResponse | undefined {
	if (!isFields(value)) return undefined;
	const { stdout, stderr } = value;
	if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
	return { ...value, stdout, stderr };
}

/** Parses the hook's input; undefined if this program does not answer the event. */
function parseHookEvent(text: string): HookEvent | undefined {
	const input = tryParseJson(text)?.value;
	if (!isFields(input)) return undefined;
	const sessionId = firstText(input.session_id);
	if (sessionId === undefined) return undefined;
	const transcript = firstText(input.transcript_path);
	const isMain = input.agent_id === undefined;
	switch (input.hook_event_name) {
		case 'PreCompact': {
			if (transcript === undefined || !isMain) return undefined;
			const instructions = firstText(input.custom_instructions);
			return { name: 'PreCompact', sessionId, transcript, instructions };
		}
		case 'SessionStart': {
			if (transcript === undefined || !isMain || input.source !== 'compact') return undefined;
			return { name: 'SessionStart', sessionId, transcript };
		}
		case 'PostToolUse': {
			const response = input.tool_name === 'Bash' ? parseShellResponse(input.tool_response) : undefined;
			return response && { name: 'PostToolUse', sessionId, response };
		}
		default:
			return undefined;
	}
}
