import { join } from 'node:path';
import { codexSettings } from '../../../core/transcript/codex/settings.ts';
import type { AgentSettings } from '../../../core/transcript/reading/limit.ts';
import type { Surroundings } from '../discover/places.ts';
import { readClaudeCodeSettings } from './claudeCode.ts';
import { textNow } from './textNow.ts';

/**
 * What an agent's own settings say of its context, those of the folder it works in as well; nothing for agents whose
 * settings are not known.
 */
export function readAgentSettings(
	agent: string,
	around: Surroundings,
	folder: string | undefined,
): AgentSettings {
	switch (agent) {
		case 'claude-code':
			return readClaudeCodeSettings(around, folder);
		case 'codex':
			return readCodexSettings(around);
		default:
			return { settings: {}, environment: {} };
	}
}

function readCodexSettings({ environment, home }: Surroundings): AgentSettings {
	const { CODEX_HOME: chosen } = environment;
	return codexSettings(textNow(join(chosen ? chosen : join(home, '.codex'), 'config.toml')));
}
