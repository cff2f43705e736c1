/** Selects the variables of a client's environment that reach the daemon: only those that contextd documents. */

import type { Environment } from '../shape.ts';

const documentedNames: ReadonlySet<string> = new Set([
	// Locations of programs' files.
	...['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'LOCALAPPDATA', 'APPDATA'],
	// Locations of agents' files.
	...['CLAUDE_CONFIG_DIR', 'CLINE_DATA_DIR', 'CLINE_DIR', 'CLINE_SESSION_DATA_DIR'],
	...['CODEX_HOME', 'COPILOT_HOME', 'GEMINI_CLI_HOME', 'GROK_HOME', 'KIMI_CODE_HOME'],
	...['OPENCLAW_CONFIG_PATH', 'OPENCLAW_STATE_DIR'],
	...['OPENCODE_DB', 'PI_CODING_AGENT_DIR', 'QWEN_HOME', 'QWEN_RUNTIME_DIR'],
	// Claude Code's window, and the point at which it compacts.
	...['CLAUDE_AUTOCOMPACT_PCT_OVERRIDE', 'CLAUDE_CODE_AUTO_COMPACT_WINDOW', 'CLAUDE_CODE_DISABLE_1M_CONTEXT'],
	...['CLAUDE_CODE_MAX_OUTPUT_TOKENS', 'DISABLE_AUTO_COMPACT', 'DISABLE_COMPACT'],
	// Locations of providers.
	...['AWS_DEFAULT_REGION', 'AWS_REGION', 'AZURE_RESOURCE_NAME', 'GOOGLE_APPLICATION_CREDENTIALS'],
	...['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_VERTEX_LOCATION', 'GOOGLE_VERTEX_PROJECT'],
	...['AWS_ACCESS_KEY_ID', 'AWS_BEARER_TOKEN_BEDROCK'],
]);

/** Matches contextd's variables, and variables with keys, since the setting `apiKey` may name any of these. */
const documentedPattern = /^CONTEXTD_|(?:KEY|TOKEN|SECRET)$/i;

/** Returns the documented variables of an environment that are set. */
export function selectDocumentedVariables(environment: Environment): Record<string, string> {
	const documented: Record<string, string> = {};
	for (const [name, value] of Object.entries(environment)) {
		if (value !== undefined && (documentedNames.has(name) || documentedPattern.test(name)))
			documented[name] = value;
	}
	return documented;
}
