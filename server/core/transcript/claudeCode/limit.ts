/** Computes the point at which Claude Code compacts. All figures are tokens. */

import { parseModelId } from '../../models/modelId.ts';
import { lookupModel } from '../../models/registry.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, firstNumber } from '../../values.ts';
import {
	type AssumedWindow,
	createWindowLimit,
	findProvenWindow,
	type LimitEvidence,
	type LimitRule,
} from '../reading/limit.ts';
import { createLocation } from '../reading/locations.ts';
import { parseJsonFields, pickFields, type SettingsSource } from '../reading/settings.ts';

/** Windows of most models, and of models with the long window. */
const claudeWindows = { usual: 200_000, long: 1_000_000 };
/** Name prefixes of models that have the long window by default. */
const longWindowPrefixes = ['claude-opus-5', 'claude-sonnet-5', 'claude-fable-5', 'claude-mythos-5'];
/** Maximum tokens that Claude Code reserves for the summary, and the tokens that it keeps free in addition. */
const reservedTokens = { answer: 20_000, buffer: 13_000 };
/**
 * In a small window, the reserve leaves little or nothing, and Claude Code compacts before every request. If
 * less than `minShare` of the window would remain, the limit is assumed to be `assumedShare`. This is enough
 * for the system prompt, the tools (some 17,000 tokens together) and a conversation.
 */
const smallWindow = { minShare: 0.5, assumedShare: 0.75 };
/**
 * A compaction at up to this multiple of the assumed point confirms the point, because a single large message
 * may exceed it.
 */
const maxOvershoot = 1.15;

/**
 * The limit of a Claude Code session: the window minus 20,000 for the summary (less if the output limit is
 * lower), minus a buffer of 13,000. Three quarters of the window if less than half the window would remain.
 *
 * `CLAUDE_CODE_AUTO_COMPACT_WINDOW` and the setting `autoCompactWindow` reduce the window;
 * `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` reduces the share of the window that the conversation may use. With
 * `DISABLE_COMPACT`, `DISABLE_AUTO_COMPACT` or `autoCompactEnabled: false`, the limit is the whole window.
 *
 * A transcript does not mention the long window (`[1m]`). Until an answered prompt proves the long window,
 * the usual window is assumed. This is a guess if the model is available with both windows.
 */
export const claudeCodeLimit: LimitRule = (evidence) => {
	const { window, of } = findWindow(evidence);
	if (!isAutoCompactEnabled(evidence)) return createWindowLimit({ window, of });
	const assumedTokens = computeCompactionPoint(window, evidence);
	const { compactedAt } = evidence;
	const isConfirmed =
		compactedAt === undefined ||
		(compactedAt >= assumedTokens && compactedAt <= assumedTokens * maxOvershoot);
	if (isConfirmed || of === 'setting') return { window, tokens: assumedTokens, of, compacts: 'agent' };
	return {
		window: findProvenWindow(window, compactedAt, [claudeWindows.long]),
		tokens: compactedAt,
		of: 'agent',
		compacts: 'agent',
	};
};

function findWindow(evidence: LimitEvidence): AssumedWindow {
	const { model = '', chosenWindow, statedWindow, answeredTokens = 0, environment = {} } = evidence;
	if (chosenWindow !== undefined) return { window: chosenWindow, of: 'setting' };
	if (statedWindow !== undefined) return { window: statedWindow, of: 'agent' };
	const { usual, long } = claudeWindows;
	if (isEnabled(environment.CLAUDE_CODE_DISABLE_1M_CONTEXT)) return { window: usual, of: 'agent' };
	const { name } = parseModelId(model);
	const isLong = /\[1m\]/i.test(model) || longWindowPrefixes.some((prefix) => name.startsWith(prefix));
	if (isLong) return { window: long, of: 'agent' };
	const { contextWindow } = lookupModel('anthropic', model);
	const assumedTokens = Math.min(contextWindow, usual);
	const window = findProvenWindow(assumedTokens, answeredTokens, [long]);
	return { window, of: window === assumedTokens && contextWindow > usual ? 'guess' : 'agent' };
}

function isAutoCompactEnabled({ environment = {}, settings = {} }: LimitEvidence): boolean {
	if (isEnabled(environment.DISABLE_COMPACT) || isEnabled(environment.DISABLE_AUTO_COMPACT)) return false;
	return settings.autoCompactEnabled !== false;
}

function computeCompactionPoint(
	modelWindow: number,
	{ model = '', environment = {}, settings = {} }: LimitEvidence,
): number {
	const { autoCompactWindow } = settings;
	const settingTokens = isFields(autoCompactWindow)
		? firstNumber(autoCompactWindow[model], autoCompactWindow.default)
		: firstNumber(autoCompactWindow);
	const maxWindow = parsePositiveNumber(environment.CLAUDE_CODE_AUTO_COMPACT_WINDOW) ?? settingTokens;
	const output = parsePositiveNumber(environment.CLAUDE_CODE_MAX_OUTPUT_TOKENS) ?? reservedTokens.answer;
	const window = Math.min(modelWindow, maxWindow ?? modelWindow);
	const usableTokens = Math.max(1, window - Math.min(output, reservedTokens.answer));
	const rest = usableTokens - reservedTokens.buffer;
	const point = rest < smallWindow.minShare * window ? Math.floor(smallWindow.assumedShare * window) : rest;
	const percent = parsePositiveNumber(environment.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
	return percent === undefined || percent > 100
		? point
		: Math.min(point, Math.floor((usableTokens * percent) / 100));
}

function isEnabled(value: string | undefined): boolean {
	return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.trim().toLowerCase());
}

function parsePositiveNumber(value: string | undefined): number | undefined {
	const number = Number.parseFloat(value ?? '');
	return number > 0 && Number.isFinite(number) ? number : undefined;
}

const settingNames = ['autoCompactEnabled', 'autoCompactWindow'];
const variableNames = [
	'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE',
	'CLAUDE_CODE_AUTO_COMPACT_WINDOW',
	'CLAUDE_CODE_DISABLE_1M_CONTEXT',
	'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
	'DISABLE_AUTO_COMPACT',
	'DISABLE_COMPACT',
];

/** Settings of the user and the project; later files override earlier ones. Invalid JSON is ignored. */
export const claudeCodeSettings: SettingsSource = {
	files: [
		// Older versions store `autoCompactEnabled` in this file, which may be large.
		createLocation('CLAUDE_CONFIG_DIR', [], '.claude.json'),
		createLocation('CLAUDE_CONFIG_DIR', ['.claude'], 'settings.json'),
		{ project: ['.claude', 'settings.json'] },
		{ project: ['.claude', 'settings.local.json'] },
	],
	variables: variableNames,
	read([globalConfig = '', ...texts]) {
		const settings: Fields = {};
		const environment: Record<string, string> = {};
		if (/"autoCompactEnabled"\s*:\s*false/.test(globalConfig)) settings.autoCompactEnabled = false;
		for (const text of texts) {
			const file = parseJsonFields(text);
			Object.assign(settings, pickFields(file, settingNames));
			for (const [name, value] of Object.entries(pickFields(asFields(file.env), variableNames)))
				environment[name] = String(value);
		}
		return { settings, environment };
	},
};
