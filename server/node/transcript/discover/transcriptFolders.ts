import { join } from 'node:path';
import {
	claudeHome,
	clineSessionsHome,
	codexHome,
	copilotHome,
	geminiHome,
	globalStorages,
	grokHome,
	kimiHome,
	openClawHome,
	openCodeHome,
	piHome,
	qwenHome,
	type Surroundings,
} from './homes.ts';

/** Cline, and the extensions made from it. */
export const clineExtensions = ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code'];

/**
 * The folders, and single files, in which known agents keep what they need to go on with a session, existing or not.
 * They belong to those agents: nothing is ever written there.
 */
export function transcriptFolders(around: Surroundings): string[] {
	const { home, environment } = around;
	const database = environment.OPENCODE_DB;
	return [
		join(claudeHome(around), 'projects'),
		join(codexHome(around), 'sessions'),
		join(codexHome(around), 'archived_sessions'),
		join(geminiHome(around), 'tmp'),
		...['antigravity', 'antigravity-cli'].map((program) => join(geminiHome(around), program, 'brain')),
		join(piHome(around), 'sessions'),
		join(copilotHome(around), 'session-state'),
		openCodeHome(around),
		...(database ? [database] : []),
		...globalStorages(around).flatMap((storage) =>
			clineExtensions.map((extension) => join(storage, extension, 'tasks')),
		),
		clineSessionsHome(around),
		join(kimiHome(around), 'sessions'),
		join(grokHome(around), 'sessions'),
		join(qwenHome(around), 'projects'),
		join(home, '.cursor', 'projects'),
		join(home, '.factory', 'sessions'),
		join(openClawHome(around), 'agents'),
	];
}
