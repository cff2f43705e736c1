/** What a settings hook answers to what Claude Code hands it on its standard input, if no mod is at work. */

import { resolve } from 'node:path';
import { isAnswered } from '../channel/answered.ts';
import { exceedsTokens, truncateToTokens } from '../core/output/truncateToTokens.ts';
import { checkLayer, mergeLayers } from '../core/settings/layers.ts';
import { isFields, parsedJson } from '../core/shape.ts';
import { cleanSavedOutputs, saveOutput } from '../node/files/savedOutputs.ts';
import { stateDirectory } from '../node/stateDirectory.ts';
import { readSettingsFile } from '../settingsFile.ts';
import { afterCompaction, summaryOrder } from './record.ts';
import { transcriptSources } from './transcriptSources.ts';

/**
 * What a call came to with outputs of at most so many estimated tokens each; undefined where nothing is to be changed.
 * @param tokens 0: nothing is cut
 * @param save keeps a whole output, and gives the path of its file
 */
async function shortened(
	response: ShellResponse,
	tokens: number,
	save: (output: string) => Promise<string>,
): Promise<ShellResponse | undefined> {
	// What Claude Code keeps elsewhere it shows the beginning of alone, and a picture is no text.
	if (tokens <= 0 || response.isImage === true || response.persistedOutputPath !== undefined)
		return undefined;
	const [stdout, stderr] = await Promise.all(
		[response.stdout, response.stderr].map(async (output) => {
			if (!exceedsTokens(output, tokens)) return output;
			const cut = truncateToTokens(output, tokens, `the whole output is in ${await save(output)}`);
			return cut.length < output.length ? cut : output;
		}),
	);
	if (stdout === response.stdout && stderr === response.stderr) return undefined;
	return { ...response, stdout: stdout ?? '', stderr: stderr ?? '' };
}

/** What stands around the process. */
export interface HookSurroundings {
	/** The file of `--settings-from`. */
	settings: string;
	platform: NodeJS.Platform;
	/** The home of the user's account. */
	home: string;
	/** Milliseconds since the epoch. */
	now(): number;
}

/** What the user set, and where contextd keeps what it knows. */
interface Place {
	toolResultTokens: number;
	stateFolder: string;
}

async function placeOf({ settings, platform, home }: HookSurroundings): Promise<Place> {
	const { path, value } = await readSettingsFile(settings);
	const { agents, storage } = mergeLayers([checkLayer(value, path)]);
	const { directory } = storage;
	const stateFolder = directory === '' ? stateDirectory({}, platform, home) : resolve(directory);
	return { toolResultTokens: agents.toolResultTokens, stateFolder };
}

/**
 * What is printed for what Claude Code handed over; empty where nothing is to be said, as where the mod has answered
 * the session. Rejects where something goes wrong.
 */
export async function hookAnswer(input: string, around: HookSurroundings): Promise<string> {
	const event = hookEvent(input);
	if (event === undefined) return '';
	const place = await placeOf(around);
	if (await isAnswered(place.stateFolder, `claude:${event.sessionId}`)) return '';
	return answerTo(event, place, around);
}

async function answerTo(event: HookEvent, place: Place, { now }: HookSurroundings): Promise<string> {
	switch (event.name) {
		case 'PreCompact':
			return summaryOrder(await transcriptSources(event.transcript), event.instructions);
		case 'SessionStart': {
			const additionalContext = afterCompaction(await transcriptSources(event.transcript));
			return additionalContext === '' ? '' : specific(event.name, { additionalContext });
		}
		case 'PostToolUse': {
			const { stateFolder, toolResultTokens } = place;
			const updatedToolOutput = await shortened(event.response, toolResultTokens, async (output) => {
				await cleanSavedOutputs({ stateFolder }, now());
				return saveOutput(output, { stateFolder });
			});
			return updatedToolOutput === undefined ? '' : specific(event.name, { updatedToolOutput });
		}
	}
}

/** An answer in the shape of an event's own. */
function specific(hookEventName: HookEvent['name'], answer: object): string {
	return JSON.stringify({ hookSpecificOutput: { hookEventName, ...answer } });
}

/** What happened, as far as it is answered here. */
type HookEvent = { sessionId: string } & (
	| { name: 'PreCompact'; transcript: string; instructions?: string }
	/** The conversation was compacted. */
	| { name: 'SessionStart'; transcript: string }
	| { name: 'PostToolUse'; response: ShellResponse }
);

/** What a shell's call came to, as Claude Code has it; what it holds beside these is kept. */
interface ShellResponse {
	stdout: string;
	stderr: string;
	isImage?: unknown;
	/** Where Claude Code itself keeps an output that it found too long. */
	persistedOutputPath?: unknown;
}

function textIn(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function shellResponse(value: unknown): ShellResponse | undefined {
	if (!isFields(value)) return undefined;
	const { stdout, stderr } = value;
	if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
	return { ...value, stdout, stderr };
}

/** Reads it; undefined where it is nothing that is answered. */
function hookEvent(text: string): HookEvent | undefined {
	const input = parsedJson(text)?.value;
	if (!isFields(input)) return undefined;
	const sessionId = textIn(input.session_id);
	if (sessionId === undefined) return undefined;
	const transcript = textIn(input.transcript_path);
	const isMain = input.agent_id === undefined;
	switch (input.hook_event_name) {
		case 'PreCompact': {
			if (transcript === undefined || !isMain) return undefined;
			return {
				name: 'PreCompact',
				sessionId,
				transcript,
				instructions: textIn(input.custom_instructions),
			};
		}
		case 'SessionStart': {
			if (transcript === undefined || !isMain || input.source !== 'compact') return undefined;
			return { name: 'SessionStart', sessionId, transcript };
		}
		case 'PostToolUse': {
			const response = input.tool_name === 'Bash' ? shellResponse(input.tool_response) : undefined;
			return response && { name: 'PostToolUse', sessionId, response };
		}
		default:
			return undefined;
	}
}
