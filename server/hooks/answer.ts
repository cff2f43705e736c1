/** What a settings hook answers where no mod of Claude Code is at work. */

import { resolve } from 'node:path';
import { isAnswered } from '../channel/answered.ts';
import { checkLayer, mergeLayers } from '../core/settings/layers.ts';
import { cleanSavedOutputs, saveOutput } from '../node/files/savedOutputs.ts';
import { stateDirectory } from '../node/stateDirectory.ts';
import { readSettingsFile } from '../settingsFile.ts';
import { type HookEvent, hookEvent } from './hookInput.ts';
import { afterCompaction, summaryOrder } from './record.ts';
import { shortened } from './shellOutput.ts';
import { transcriptSources } from './transcriptSources.ts';

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
			const { stateFolder: stateDirectory, toolResultTokens } = place;
			const updatedToolOutput = await shortened(event.response, toolResultTokens, async (output) => {
				await cleanSavedOutputs({ stateDirectory }, now());
				return saveOutput(output, { stateDirectory });
			});
			return updatedToolOutput === undefined ? '' : specific(event.name, { updatedToolOutput });
		}
	}
}

/** An answer in the shape of an event's own. */
function specific(hookEventName: HookEvent['name'], answer: object): string {
	return JSON.stringify({ hookSpecificOutput: { hookEventName, ...answer } });
}
