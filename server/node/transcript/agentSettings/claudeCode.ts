import { join } from 'node:path';
import { claudeCodeSettings } from '../../../core/transcript/claudeCode/settings.ts';
import type { AgentSettings } from '../../../core/transcript/reading/limit.ts';
import type { Surroundings } from '../discover/places.ts';
import { textNow } from './textNow.ts';

/**
 * What the settings of Claude Code say of its context: the user's, and those of the folder that it works in. Files
 * that are not there or may not be read say nothing.
 */
export function readClaudeCodeSettings(around: Surroundings, folder: string | undefined): AgentSettings {
	const chosen = around.environment.CLAUDE_CONFIG_DIR;
	const home = chosen ? chosen : join(around.home, '.claude');
	const project = folder === undefined ? [] : ['settings.json', 'settings.local.json'];
	const files = [join(home, 'settings.json'), ...project.map((name) => join(folder ?? '', '.claude', name))];
	return claudeCodeSettings(files.map(textNow), textNow(join(chosen ? chosen : around.home, '.claude.json')));
}
