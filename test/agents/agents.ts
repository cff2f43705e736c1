/** The real agents: their packages, their settings, and the commands that start them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Fields } from './mock/request.ts';

/** The folders of an agent, and the provider that it asks. */
export interface AgentSetup {
	/** The agent's home folder. */
	home: string;
	/** The folder in which the agent works. */
	project: string;
	/** The provider's address. */
	url: string;
	/** The approximate tokens at which the agent should compact by itself; by default it never compacts. */
	compactsNear?: number;
}

/** An agent that can be run without a terminal. */
export interface RealAgent {
	/** Name of the agent in its transcripts. */
	name: string;
	/** The agent's package in the npm registry, with the version. */
	packageName: string;
	/** The command that the package brings. */
	command: string;
	/** Whether the agent requires a newer Node than contextd does. */
	needsNode24?: true;
	environment(setup: AgentSetup): Record<string, string>;
	/** Writes the agent's settings. */
	setUp(setup: AgentSetup): Promise<void>;
	/** Returns the command-line arguments for a prompt, in a new session or in the last one. */
	args(prompt: string, isContinued: boolean, setup: AgentSetup): string[];
	/** Arguments that start a process for several prompts, which it reads by the Agent Client Protocol on stdio. */
	conversationArgs?: readonly string[];
}

async function put(path: string, content: string | object): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
}

export const claudeCode: RealAgent = {
	name: 'claude-code',
	packageName: '@anthropic-ai/claude-code@2.1.332',
	command: 'claude',
	environment: ({ url }) => ({
		ANTHROPIC_BASE_URL: url,
		ANTHROPIC_API_KEY: 'none',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		IS_SANDBOX: '1',
	}),
	async setUp({ home, project, compactsNear }) {
		// Claude Code keeps 20,000 tokens for the summary, and a buffer of 13,000.
		const window: Fields = compactsNear === undefined ? {} : { autoCompactWindow: compactsNear + 33_000 };
		await put(join(home, '.claude/settings.json'), {
			...window,
			permissions: { defaultMode: 'bypassPermissions' },
			skipDangerousModePermissionPrompt: true,
		});
		await put(join(home, '.claude.json'), {
			hasCompletedOnboarding: true,
			bypassPermissionsModeAccepted: true,
			customApiKeyResponses: { approved: ['none'], rejected: [] },
			projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
		});
	},
	args: (prompt, isContinued) => [
		'-p',
		prompt,
		'--model',
		'claude-sonnet-4-5',
		'--permission-mode',
		'bypassPermissions',
		...(isContinued ? ['--continue'] : []),
	],
};

export const codex: RealAgent = {
	name: 'codex',
	packageName: '@openai/codex@0.171.0',
	command: 'codex',
	environment: () => ({ MOCK_KEY: 'none' }),
	setUp: ({ home, project, url, compactsNear }) =>
		put(
			join(home, '.codex/config.toml'),
			[
				'model = "gpt-5-codex"',
				'model_provider = "mock"',
				'approval_policy = "never"',
				'sandbox_mode = "danger-full-access"',
				...(compactsNear === undefined ? [] : [`model_auto_compact_token_limit = ${compactsNear}`]),
				'[model_providers.mock]',
				'name = "mock"',
				`base_url = "${url}/v1"`,
				'wire_api = "responses"',
				'env_key = "MOCK_KEY"',
				`[projects."${project}"]`,
				'trust_level = "trusted"',
				'',
			].join('\n'),
		),
	args: (prompt, isContinued) => [
		'exec',
		'--skip-git-repo-check',
		...(isContinued ? ['resume', '--last'] : []),
		prompt,
	],
};

export const pi: RealAgent = {
	name: 'pi',
	packageName: '@earendil-works/pi-coding-agent@1.5.2',
	command: 'pi',
	needsNode24: true,
	environment: () => ({ PI_OFFLINE: '1' }),
	setUp: ({ home, url, compactsNear }) =>
		put(join(home, '.pi/agent/models.json'), {
			providers: {
				mock: {
					baseUrl: url,
					api: 'anthropic-messages',
					apiKey: 'none',
					models: [
						{
							id: 'mock-claude',
							name: 'mock-claude',
							reasoning: false,
							input: ['text'],
							// pi keeps 16,384 tokens of the window free.
							contextWindow: compactsNear === undefined ? 200_000 : compactsNear + 16_384,
							maxTokens: 8192,
							cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
						},
					],
				},
			},
		}),
	args: (prompt, isContinued) => [
		'-p',
		'--offline',
		'--provider',
		'mock',
		'--model',
		'mock-claude',
		...(isContinued ? ['-c'] : []),
		prompt,
	],
};

export const openCode: RealAgent = {
	name: 'opencode',
	packageName: 'opencode-ai@1.18.33',
	command: 'opencode',
	environment: () => ({}),
	setUp: ({ home, url, compactsNear }) =>
		put(join(home, '.config/opencode/opencode.json'), {
			autoupdate: false,
			share: 'disabled',
			model: 'mock/mock-1',
			small_model: 'mock/mock-1',
			permission: { edit: 'allow', bash: 'allow', webfetch: 'allow', external_directory: 'allow' },
			provider: {
				mock: {
					npm: '@ai-sdk/openai-compatible',
					name: 'mock',
					options: { baseURL: `${url}/v1`, apiKey: 'none' },
					models: {
						'mock-1': {
							name: 'mock-1',
							tool_call: true,
							// OpenCode keeps the maximum length of an answer free.
							limit: { context: compactsNear === undefined ? 200_000 : compactsNear + 8192, output: 8192 },
						},
					},
				},
			},
		}),
	args: (prompt, isContinued) => ['run', ...(isContinued ? ['-c'] : []), prompt],
};

/**
 * Settings of Gemini CLI. Above about 80,000 tokens, it would truncate old outputs instead of compressing the session. The
 * documented setting against this has no effect, so the experiment that decides it is overridden.
 */
const outputsStay = {
	file: '.gemini/experiments.json',
	experiments: { flags: [{ flagId: 45_758_817, intValue: '10000000' }] },
};

export const geminiCli: RealAgent = {
	name: 'gemini-cli',
	packageName: '@google/gemini-cli@0.61.0',
	command: 'gemini',
	environment: ({ url, home }) => ({
		GEMINI_API_KEY: 'none',
		GOOGLE_GEMINI_BASE_URL: url,
		GEMINI_EXP: join(home, outputsStay.file),
	}),
	async setUp({ home, compactsNear }) {
		await put(join(home, '.gemini/settings.json'), {
			security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
			telemetry: { enabled: false },
			// Gemini CLI's clean-up would delete a session that is resumed more than a minute after its start.
			general: { enableAutoUpdate: false, sessionRetention: { enabled: false } },
			privacy: { usageStatisticsEnabled: false },
			...(compactsNear !== undefined && { model: { compressionThreshold: compactsNear / 1_048_576 } }),
		});
		await put(join(home, outputsStay.file), outputsStay.experiments);
	},
	args: (prompt, isContinued) => [
		'--yolo',
		'--skip-trust',
		'-m',
		'gemini-2.5-pro',
		...(isContinued ? ['--resume', 'latest'] : []),
		'-p',
		prompt,
	],
	conversationArgs: ['--acp', '--yolo', '--skip-trust', '-m', 'gemini-2.5-pro'],
};

/** Copilot CLI can use a provider that its user configures, without GitHub. */
export const copilotCli: RealAgent = {
	name: 'copilot-cli',
	packageName: '@github/copilot@1.0.102',
	command: 'copilot',
	environment: ({ url }) => ({
		COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
		COPILOT_MODEL: 'gpt-5',
		COPILOT_OFFLINE: 'true',
	}),
	setUp: async () => {},
	args: (prompt, isContinued) => ['--allow-all', ...(isContinued ? ['--continue'] : []), '-p', prompt],
};

/** The agents whose figures the tests compare with the provider's. */
export const realAgents: readonly RealAgent[] = [claudeCode, codex, pi, openCode, geminiCli];
