/** The parts that `contextd setup` can set up on a machine: one per agent, editor or configuration file. */

import type { Machine, PlannedFile } from '../install/parts/agent.ts';
import type { SetupManifest } from './manifest.ts';

/** Whether a part will be set up. */
export type PartState =
	/** The part will be set up. `word` says how, such as `new` or `update`. */
	| { kind: 'due'; word: string }
	| { kind: 'done' }
	/** Nothing can be set up; `text` says why, or that nothing is needed. */
	| { kind: 'none'; text: string };

/** One row of the plan. */
export interface SetupPart {
	title: string;
	/** What the user gets. */
	gain: string;
	state: PartState;
	/** Whether the part adds `/contextd` and other commands to an agent. */
	addsCommands?: true;
	/** Lists what setting up the part writes. */
	listChanges(): Promise<readonly PlannedFile[]>;
	/** Sets up a part that is due. Returns one line for each change. */
	apply(manifest: SetupManifest): Promise<readonly string[]>;
}

/** The machine that setup works on. */
export interface SetupMachine extends Machine {
	/** Labels of the agents with sessions on this machine. */
	sessionAgents: readonly string[];
}

/** Returns a part that is only mentioned, because setup changes nothing for it. */
export function createInformationPart(title: string, gain: string, text: string): SetupPart {
	return { title, gain, state: { kind: 'none', text }, listChanges: async () => [], apply: async () => [] };
}
