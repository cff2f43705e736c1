/** What `contextd setup` can set up on a machine, one part per agent, editor or configuration file. */

import type { InstallPlace, PlannedFile } from '../install/parts/agent.ts';
import type { SetupManifest } from './manifest.ts';

/** What setup finds about a part. */
export type PartState =
	/** The part will be set up. `word` says how, such as `new` or `update`. */
	| { kind: 'due'; word: string }
	| { kind: 'done' }
	/** Nothing can be set up; `text` says why, or that nothing is needed. */
	| { kind: 'left'; text: string };

/** One row of the plan. */
export interface SetupPart {
	title: string;
	/** What the user gets. */
	gain: string;
	state: PartState;
	/** Whether it adds `/contextd` and other commands to an agent. */
	hasCommands?: true;
	/** What setting it up writes. */
	changes(): Promise<readonly PlannedFile[]>;
	/** Sets up a part that is due. Returns one line for each change. */
	apply(manifest: SetupManifest): Promise<readonly string[]>;
}

/** Where setup looks and installs. */
export interface SetupPlace extends InstallPlace {
	/** Labels of the agents with sessions on this machine. */
	sessionAgents: readonly string[];
}

/** A part that is only mentioned, since setup changes nothing. */
export function informationPart(title: string, gain: string, text: string): SetupPart {
	return { title, gain, state: { kind: 'left', text }, changes: async () => [], apply: async () => [] };
}
