/** Where Claude Code compacts by itself. All figures are tokens. */

import { parseModelId } from '../../models/modelId.ts';
import { lookupModel } from '../../models/registry.ts';
import { type Fields, isFields } from '../../shape.ts';
import { type LimitEvidence, type LimitRule, provenWindow } from '../reading/limit.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** The window of most models, and the one of those that take a million. */
const windows = { usual: 200_000, long: 1_000_000 };
/** Models that have the long window without being asked for it, by how their names begin. */
const longByDefault = ['claude-opus-5', 'claude-sonnet-5', 'claude-fable-5', 'claude-mythos-5'];
/** What Claude Code keeps for the summary, at most, and what it keeps free besides. */
const kept = { answer: 20_000, buffer: 13_000 };
/**
 * In a small window what Claude Code keeps free leaves little or nothing, and it compacts before every request. If that
 * leaves less than `least` of the window, the limit is taken to be `instead` of it: room for the system prompt and tools,
 * some 17,000 tokens, and a conversation.
 */
const smallWindow = { least: 0.5, instead: 0.75 };
/** A compaction this much above the supposed point is still one at that point: a step may be large. */
const widestOvershoot = 1.15;

/**
 * The limit of a session of Claude Code: the window, less 20,000 for the summary (less where fewer tokens may be
 * written), less a buffer of 13,000; three quarters of the window if less than half of it would remain.
 * `CLAUDE_CODE_AUTO_COMPACT_WINDOW` and the setting `autoCompactWindow` make the window smaller,
 * `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` the share of it; `DISABLE_COMPACT`, `DISABLE_AUTO_COMPACT` and
 * `autoCompactEnabled: false` leave the whole window. A transcript does not name the long window (`[1m]`): until an
 * answered prompt proves it, the usual one holds, as a guess where the model comes with both.
 */
export const claudeCodeLimit: LimitRule = (evidence) => {
	const { window, isGuess, isChosen } = windowOf(evidence);
	const of = isChosen ? 'setting' : isGuess ? 'guess' : 'agent';
	if (!compactsByItself(evidence)) {
		return { window, tokens: window, of: of === 'agent' ? 'window' : of, compacts: 'nobody' };
	}
	const supposed = compactionPoint(window, evidence);
	const { compactedAt } = evidence;
	const isAsSupposed =
		compactedAt === undefined || (compactedAt >= supposed && compactedAt <= supposed * widestOvershoot);
	if (isAsSupposed || isChosen) return { window, tokens: supposed, of, compacts: 'agent' };
	return {
		window: provenWindow(window, compactedAt, [windows.long]),
		tokens: compactedAt,
		of: 'agent',
		compacts: 'agent',
	};
};

function windowOf(evidence: LimitEvidence): { window: number; isGuess: boolean; isChosen: boolean } {
	const { model = '', chosenWindow, statedWindow, answered = 0, environment = {} } = evidence;
	if (chosenWindow !== undefined) return { window: chosenWindow, isGuess: false, isChosen: true };
	if (statedWindow !== undefined) return { window: statedWindow, isGuess: false, isChosen: false };
	const known = (window: number) => ({ window, isGuess: false, isChosen: false });
	if (isOn(environment.CLAUDE_CODE_DISABLE_1M_CONTEXT)) return known(windows.usual);
	if (/\[1m\]/i.test(model)) return known(windows.long);
	const { name } = parseModelId(model);
	if (longByDefault.some((start) => name.startsWith(start))) return known(windows.long);
	const { contextWindow } = lookupModel('anthropic', model);
	const supposed = Math.min(contextWindow, windows.usual);
	const window = provenWindow(supposed, answered, [windows.long]);
	return { window, isGuess: window === supposed && contextWindow > windows.usual, isChosen: false };
}

function compactsByItself({ environment = {}, settings = {} }: LimitEvidence): boolean {
	if (isOn(environment.DISABLE_COMPACT) || isOn(environment.DISABLE_AUTO_COMPACT)) return false;
	return settings.autoCompactEnabled !== false;
}

function compactionPoint(
	window: number,
	{ model = '', environment = {}, settings = {} }: LimitEvidence,
): number {
	const { autoCompactWindow } = settings;
	const chosen = isFields(autoCompactWindow)
		? firstNumber(autoCompactWindow[model], autoCompactWindow.default)
		: firstNumber(autoCompactWindow);
	const smaller = positive(environment.CLAUDE_CODE_AUTO_COMPACT_WINDOW) ?? chosen ?? window;
	const output = positive(environment.CLAUDE_CODE_MAX_OUTPUT_TOKENS) ?? kept.answer;
	const whole = Math.min(window, smaller);
	const usable = Math.max(1, whole - Math.min(output, kept.answer));
	const left = usable - kept.buffer;
	const point = left < smallWindow.least * whole ? Math.floor(smallWindow.instead * whole) : left;
	const share = positive(environment.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
	return share === undefined || share > 100 ? point : Math.min(point, Math.floor((usable * share) / 100));
}

function isOn(value: string | undefined): boolean {
	return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.trim().toLowerCase());
}

function positive(value: string | undefined): number | undefined {
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

/** The user's settings and those of the project, each over the ones before it; one that is no JSON says nothing. */
export const claudeCodeSettings: SettingsSource = {
	files: [
		// Where older versions keep `autoCompactEnabled`; it may be large.
		[{ variable: 'CLAUDE_CONFIG_DIR', below: ['.claude.json'] }, { below: ['.claude.json'] }],
		[{ variable: 'CLAUDE_CONFIG_DIR', below: ['settings.json'] }, { below: ['.claude', 'settings.json'] }],
		{ project: ['.claude', 'settings.json'] },
		{ project: ['.claude', 'settings.local.json'] },
	],
	variables: variableNames,
	read([globalConfig = '', ...texts]) {
		const settings: Fields = {};
		const environment: Record<string, string> = {};
		if (/"autoCompactEnabled"\s*:\s*false/.test(globalConfig)) settings.autoCompactEnabled = false;
		for (const text of texts) {
			const file = jsonFields(text);
			Object.assign(settings, onlyFields(file, settingNames));
			for (const [name, value] of Object.entries(onlyFields(fieldsOf(file.env), variableNames)))
				environment[name] = String(value);
		}
		return { settings, environment };
	},
};
