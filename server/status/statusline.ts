import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { channelFolderName, type MarkUsage, nameMarkFile, parseMark } from '../core/channel/marks.ts';
import { computeColdCost } from '../core/cost/cacheExpiry.ts';
import { computeCacheState, minCacheLifetimeMs } from '../core/cost/cacheState.ts';
import { lookupPrices } from '../core/cost/prices.ts';
import { findPricesByUsage } from '../core/cost/sessionPrices.ts';
import { errorCode, Failure } from '../core/failure.ts';
import { sumPromptTokens } from '../core/meter/meter.ts';
import { isFields, pickDefined, tryParseJson } from '../core/shape.ts';
import {
	claudeCode,
	claudeCodeLimit,
	claudeCodeSettings,
	computeTranscriptEnd,
	readAnthropicUsage,
	type TranscriptEnd,
} from '../core/transcript/index.ts';
import { asFields, firstNumber, firstText } from '../core/values.ts';
import { createInputFailure } from '../front/console/failure.ts';
import { getDefaultStateFolder } from '../node/stateFolder.ts';
import { type AgentEnvironment, readAgentSettings } from '../node/transcript/agentEnvironment.ts';
import { readEnds } from '../node/transcript/ends.ts';
import type { Usage } from '../protocol/conversation.ts';
import type { CacheExpiry } from '../protocol/stats.ts';
import { rateAgentLimit, type StatusFigures } from './template.ts';

const provider = 'anthropic';
/** The longer lifetime of the provider's cache, in milliseconds. */
const hourMs = 3_600_000;

/**
 * Returns the figures for the status line of a Claude Code session.
 * @param text Claude Code's input
 * @param now milliseconds since the epoch
 * @param chosenWindow tokens of the window, if the user states it
 */
export function measureHookInput(
	text: string,
	machine: AgentEnvironment,
	now: number,
	chosenWindow?: number,
): StatusFigures {
	const hook = parseStatusInput(text, now);
	const end = readTranscriptEnd(hook.transcript);
	const { settings, environment } = readAgentSettings(claudeCodeSettings, machine, hook.folder);
	const { model, usage } = hook;
	const plugin = readPluginFigures(hook.session, machine);
	const used = plugin?.tokens ?? countUsedTokens(usage, end);
	const agentLimit = claudeCodeLimit({
		provider,
		model,
		chosenWindow,
		statedWindow: hook.window,
		answeredTokens: Math.max(end?.answeredTokens ?? 0, usage ? sumPromptTokens(usage) : 0),
		compactedAt: end?.compactedAt,
		environment: { ...machine.environment, ...environment },
		settings,
	});
	const limit = plugin ? { ...agentLimit, tokens: plugin.limit, window: plugin.window } : agentLimit;
	return {
		agent: claudeCode.name,
		model,
		used,
		limit,
		state: plugin?.state ?? rateAgentLimit(limit, used, provider, model),
		...pickDefined({ cache: used > 0 ? chooseCacheExpiry(hook, end, { used, now }) : undefined }),
		idleMs: end?.lastActivityAt === undefined ? 0 : Math.max(0, now - end.lastActivityAt),
		now,
	};
}

/**
 * Returns the figures of this session's plugin, which sends the model a different view than the transcript; undefined
 * while the plugin is not active.
 */
function readPluginFigures(
	session: string | undefined,
	{ environment, platform, home }: AgentEnvironment,
): MarkUsage | undefined {
	const name = session && nameMarkFile(`claude:${session}`);
	if (!name) return undefined;
	try {
		const path = join(getDefaultStateFolder(environment, platform, home), channelFolderName, name);
		const { pid, usage } = parseMark(readFileSync(path, 'utf8'));
		// A killed daemon leaves its mark behind; this throws if its process has ended.
		if (pid !== undefined) process.kill(pid, 0);
		return usage;
	} catch (error) {
		const code = errorCode(error);
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'ESRCH'].includes(code)) return undefined;
		throw error;
	}
}

/** Reads the end of the transcript; undefined until Claude Code has written it. */
function readTranscriptEnd(transcript: string | undefined): TranscriptEnd | undefined {
	if (transcript === undefined) return undefined;
	try {
		const ends = readEnds(transcript, (records) =>
			records.some(claudeCode.recognizes) ? claudeCode : undefined,
		);
		return ends && computeTranscriptEnd(ends.end, ends.start);
	} catch (error) {
		if (error instanceof Failure && error.kind === 'FileUnreadable') return undefined;
		throw error;
	}
}

/** Returns the session's tokens, including the newest answer if the transcript lacks it. */
function countUsedTokens(usage: Usage | undefined, end: TranscriptEnd | undefined): number {
	if (usage === undefined) return end?.tokens ?? 0;
	const isKnown = end?.usage !== undefined && sumPromptTokens(end.usage) === sumPromptTokens(usage);
	return isKnown ? end.tokens : sumPromptTokens(usage) + usage.output;
}

/** Returns when the cache expires, from Claude Code's input or else the newest answer; undefined if unknown. */
function chooseCacheExpiry(
	{ model, usage, coldTokens, isCold, expiresAt, ttl }: HookInput,
	end: TranscriptEnd | undefined,
	{ used, now }: { used: number; now: number },
): CacheExpiry | undefined {
	const newestUsage = usage ?? end?.usage;
	const requests =
		newestUsage && end?.lastActivityAt ? [{ startedAt: end.lastActivityAt, usage: newestUsage }] : [];
	const state = computeCacheState(now, { provider, model, requests });
	const lifetimeMs = ttl === '1h' ? hourMs : (state?.lifetimeMs ?? minCacheLifetimeMs);
	const statedExpiry = expiresAt ?? state?.warmUntil;
	const warmUntil = isCold ? Math.min(statedExpiry ?? now, now) : statedExpiry;
	if (warmUntil === undefined) return undefined;
	const prices = findPricesByUsage(newestUsage ? [newestUsage] : [], provider, model);
	const inputPrices = lookupPrices(provider, model);
	return {
		warmUntil,
		lifetimeMs,
		...computeColdCost(coldTokens ?? used, { nextTokens: used, prices, inputPrices }),
	};
}

interface HookInput {
	/** Claude Code's id of the session. */
	session?: string;
	transcript?: string;
	/** The model's id; empty if none is given. */
	model: string;
	/** Tokens of the model's window. */
	window?: number;
	/** The tokens of the newest answer; absent before the first answer and after a compaction. */
	usage?: Usage;
	/** The folder in which the session was started. */
	folder?: string;
	/** Tokens that the next request must write again if the provider's cache has expired. */
	coldTokens?: number;
	/** Whether the cache has expired; absent if unknown. */
	isCold?: boolean;
	/** When the cache expires. Milliseconds since the epoch. */
	expiresAt?: number;
	/** The cache's lifetime, such as `5m` or `1h`. */
	ttl?: string;
}

/**
 * Parses the input; every member may be missing. Throws with exit code 2 if it is not a JSON object.
 * @param now milliseconds since the epoch
 */
export function parseStatusInput(text: string, now: number): HookInput {
	const input = parseObject(text);
	const window = asFields(input.context_window);
	const cache = asFields(input.prompt_cache);
	const workspace = asFields(input.workspace);
	const expiry = firstNumber(cache.expires_at);
	const expiresAt = expiry === undefined ? undefined : expiry * 1000;
	const isExpired = expiresAt !== undefined && expiresAt < now;
	return {
		session: firstText(input.session_id),
		transcript: firstText(input.transcript_path),
		model: firstText(asFields(input.model).id) ?? '',
		window: firstNumber(window.context_window_size),
		usage: isFields(window.current_usage) ? readAnthropicUsage(window.current_usage) : undefined,
		folder: firstText(workspace.project_dir, input.cwd),
		coldTokens: firstNumber(cache.recache_tokens_if_cold),
		...pickDefined({ expiresAt, ttl: firstText(cache.ttl) }),
		...(typeof cache.warm === 'boolean' && { isCold: !cache.warm || isExpired }),
	};
}

function parseObject(text: string): Record<string, unknown> {
	const value = tryParseJson(text)?.value;
	if (isFields(value)) return value;
	const given = text.trim() === '' ? 'nothing' : `"${text.trim().slice(0, 40)}"`;
	throw createInputFailure(
		`statusline: expected the JSON object that Claude Code passes to a status line on standard input, got ${given}`,
	);
}
