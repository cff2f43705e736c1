import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agents, computeAgentLimit } from '../../server/core/transcript/agents.ts';
import { readAgentSettings } from '../../server/node/transcript/agentEnvironment.ts';

let home: string;

beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), 'contextd-test-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, content: unknown): void {
	const file = join(home, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function settingsOf(name: string, environment: Record<string, string> = {}) {
	const source = agents.find((agent) => agent.name === name)?.settings;
	return readAgentSettings(source, { home, environment, platform: 'linux' }, join(home, 'project'));
}

function limitTokens(name: string, evidence: Parameters<typeof computeAgentLimit>[1]): number {
	return computeAgentLimit(name, { ...evidence, ...settingsOf(name) }).tokens;
}

describe('the settings of an agent', () => {
	it('settings of an agent are the user’s, overridden by the project’s, and the variables of Claude Code', () => {
		write('.claude/settings.json', {
			autoCompactWindow: 150_000,
			env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50', TOKEN: 'secret' },
		});
		write('project/.claude/settings.local.json', { autoCompactWindow: 120_000, apiKeyHelper: 'secret' });
		expect(settingsOf('claude-code', { DISABLE_COMPACT: '1', OTHER: 'x' })).toEqual({
			settings: { autoCompactWindow: 120_000 },
			environment: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50', DISABLE_COMPACT: '1' },
		});
	});

	it('settings change the limit of Codex, Gemini CLI, Qwen Code, pi and OpenCode', () => {
		write('.codex/config.toml', 'model_auto_compact_token_limit = 12_000\n[profiles.x]\nmodel = "y"\n');
		expect(limitTokens('codex', { statedWindow: 258_400 })).toBe(12_000);
		write('.gemini/settings.json', { model: { compressionThreshold: 0.25 } });
		expect(limitTokens('gemini-cli', {})).toBe(262_144);
		write('.qwen/settings.json', { model: { chatCompression: { contextPercentageThreshold: 0.5 } } });
		expect(limitTokens('qwen-code', { statedWindow: 200_000 })).toBe(100_000);
		write('.pi/agent/settings.json', { compaction: { reserveTokens: 20_000 } });
		write('.pi/agent/models.json', {
			providers: { mine: { apiKey: 'secret', models: [{ id: 'm', contextWindow: 90_000 }] } },
		});
		expect(limitTokens('pi', { provider: 'mine', model: 'm' })).toBe(70_000);
		write('.config/opencode/opencode.json', {
			provider: {
				mine: { options: { apiKey: 'secret' }, models: { m: { limit: { context: 60_000, output: 8_192 } } } },
			},
		});
		expect(limitTokens('opencode', { provider: 'mine', model: 'm' })).toBe(51_808);
	});

	it('settings of an agent contain only those that concern the context', () => {
		write('.pi/agent/models.json', { providers: { mine: { apiKey: 'secret', models: [] } } });
		write('.config/opencode/opencode.json', { provider: { mine: { options: { apiKey: 'secret' } } } });
		for (const name of ['pi', 'opencode']) expect(JSON.stringify(settingsOf(name))).not.toContain('secret');
	});

	it.each(['no JSON', '[]', '{"compaction":7,"provider":[1],"model":null,"providers":{"x":0}}'])(
		'settings of agents are ignored if they are malformed: %s',
		(text) => {
			for (const path of ['.claude/settings.json', '.gemini/settings.json', '.pi/agent/models.json'])
				write(path, text);
			write('.config/opencode/opencode.json', text);
			for (const { name } of agents) expect(() => limitTokens(name, { model: 'm' })).not.toThrow();
		},
	);
});

describe('the limits of agents', () => {
	it.each([
		['gemini-cli', { model: 'gemini-2.5-pro' }, 524_288],
		['qwen-code', { statedWindow: 262_144 }, 222_822],
		['qwen-code', { statedWindow: 200_000 }, 167_000],
		['pi', { provider: 'anthropic', model: 'claude-sonnet-4-5' }, 183_616],
		['opencode', { provider: 'anthropic', model: 'claude-sonnet-4-5' }, 168_000],
		['copilot-cli', { statedWindow: 128_000 }, 102_400],
		['kimi-code', { statedWindow: 262_144 }, 212_144],
		['cline', { provider: 'anthropic', model: 'claude-sonnet-4-5' }, 160_000],
	])('%s with %j compacts at %i tokens', (name, evidence, tokens) => {
		expect(computeAgentLimit(name, evidence)).toMatchObject({ tokens, compacts: 'agent', of: 'agent' });
	});

	it('the limit of pi and OpenCode is the whole window if the user turned compaction off', () => {
		const off = { settings: { compaction: { enabled: false, auto: false } }, statedWindow: 100_000 };
		for (const name of ['pi', 'opencode'])
			expect(computeAgentLimit(name, off)).toMatchObject({
				tokens: 100_000,
				of: 'window',
				compacts: 'nobody',
			});
	});
});
