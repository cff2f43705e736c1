/** Checks and merges layers of settings. Later layers override earlier ones. */

import type { Settings } from '../../protocol/settings.ts';
import { type Fields, isEmptyList, isFields } from '../shape.ts';
import { findSimilarName } from '../similarName.ts';
import { createNamedMemberPath, findSettingFault, findUnknownSettings, omitUnsetMembers } from './check.ts';
import {
	defaultSettings,
	getMemberSchema,
	isSection,
	type SettingSchema,
	settingSchemas,
	settingsSchema,
} from './schema.ts';
import { setSetting, unwrapSettings } from './settingsKey.ts';

export interface SettingProblem {
	severity: 'warning' | 'error';
	/** Path of the affected setting; empty for the layer as a whole. */
	path: string;
	message: string;
}

/** A settings file of the user, or of the project that a client works in. */
export interface FoundSettings {
	scope: 'user' | 'project';
	path: string;
	/** The file's content; absent if the file is empty or cannot be used. */
	value?: unknown;
	/** A sentence with the path that says why the file cannot be used. */
	problem?: string;
}

export interface CheckedLayer {
	/** The valid values, by path. */
	values: ReadonlyMap<string, unknown>;
	problems: SettingProblem[];
}

function formatValue(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
	return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Formats an invalid value; only its type if the value may contain a secret key. */
function formatSafely(path: string, value: unknown): string {
	const mayHoldKeys = path === '' || path.split('.')[0] === 'summarization';
	if (!mayHoldKeys || typeof value === 'number' || typeof value === 'boolean') return formatValue(value);
	return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** Converts an empty list to an object, because Lua cannot distinguish the two. */
function replaceEmptyList(value: unknown): unknown {
	return isEmptyList(value) ? {} : value;
}

/** Checks one layer, and collects its valid values and its problems. */
class LayerCheck {
	readonly #values = new Map<string, unknown>();
	readonly #problems: SettingProblem[] = [];
	readonly #origin: string;
	readonly #isProject: boolean;

	/** @param origin name of the layer's source in messages */
	constructor(origin: string, scope: FoundSettings['scope'] = 'user') {
		this.#origin = origin;
		this.#isProject = scope === 'project';
	}

	check(layer: unknown): CheckedLayer {
		const members = replaceEmptyList(layer);
		if (isFields(members)) this.#visitMembers(settingsSchema, members, '');
		else if (layer !== undefined && layer !== null) {
			this.#report('error', '', `expected an object of settings, got ${formatSafely('', layer)}`);
		}
		return { values: this.#values, problems: this.#problems };
	}

	#report(severity: SettingProblem['severity'], path: string, text: string): void {
		this.#problems.push({ severity, path, message: `${this.#origin}: ${text}` });
	}

	#visitMembers(section: SettingSchema, members: Fields, prefix: string): void {
		for (const [name, value] of Object.entries(members)) {
			const schema = getMemberSchema(section, name);
			if (!schema) this.#reportUnknown(`${prefix}${name}`, name, Object.keys(section.properties ?? {}));
			else if (value === null || value === undefined) continue;
			else if (prefix === '' && isSection(schema)) this.#visitSection(schema, value, name);
			else if (this.#isProject && !schema.project) this.#refuse(`${prefix}${name}`);
			else this.#visitSetting(schema, value, `${prefix}${name}`);
		}
	}

	#visitSection(section: SettingSchema, value: unknown, name: string): void {
		const members = replaceEmptyList(value);
		if (isFields(members)) this.#visitMembers(section, members, `${name}.`);
		else this.#report('error', name, `${name}: expected an object, got ${formatSafely(name, value)}`);
	}

	#visitSetting(schema: SettingSchema, value: unknown, path: string): void {
		const input = schema.type === 'object' ? replaceEmptyList(value) : value;
		const valid =
			schema.additionalProperties && isFields(input) ? this.#collectValid(schema, input, path) : input;
		if (!this.#isValid(schema, valid, path)) return;
		for (const { path: at, name, knownNames } of findUnknownSettings(schema, input))
			this.#reportUnknown(`${path}${at}`, name, knownNames);
		this.#values.set(path, omitUnsetMembers(valid));
	}

	/** Returns the valid members of an object whose names the user chose, such as patterns of models. */
	#collectValid({ additionalProperties: schema = {} }: SettingSchema, value: Fields, path: string): Fields {
		const valid = Object.entries(value).filter(
			([name, one]) => one === null || this.#isValid(schema, one, `${path}${createNamedMemberPath(name)}`),
		);
		return Object.fromEntries(valid);
	}

	#isValid(schema: SettingSchema, value: unknown, path: string): boolean {
		const fault = findSettingFault(schema, value);
		if (!fault) return true;
		const givenText = fault.value === undefined ? 'nothing' : formatSafely(path, fault.value);
		this.#report('error', path, `${path}${fault.path}: expected ${fault.expected}, got ${givenText}`);
		return false;
	}

	/** Reports a setting that a project's file may not set, because anybody may have written the file. */
	#refuse(path: string): void {
		const allowedNames = [...settingSchemas].filter(([, { project }]) => project).map(([name]) => name);
		const text = `ignoring ${path}: the settings file of a project may set only ${allowedNames.join(', ')}`;
		this.#report('warning', path, text);
	}

	/** Reports an unknown setting, with the name that was probably meant. */
	#reportUnknown(path: string, name: string, knownNames: readonly string[]): void {
		const similarName = findSimilarName(name, knownNames);
		const hint = similarName === undefined ? '' : ` (did you mean "${similarName}"?)`;
		this.#report('warning', path, `unknown setting "${path}"${hint}`);
	}
}

/** Checks a layer. An unknown key is a warning, an invalid value an error that names the value. Null means "not set". */
export function checkLayer(layer: unknown, origin: string): CheckedLayer {
	return new LayerCheck(origin).check(layer);
}

/** Maximum number of problems reported for a file, because anybody may have written the file. */
const maxProblems = 20;
/** Maximum length of a reported problem in UTF-16 units. */
const maxProblemLength = 600;

function shortenProblems(problems: readonly SettingProblem[], path: string): SettingProblem[] {
	const shownProblems = problems.slice(0, maxProblems).map((problem) => {
		const { message } = problem;
		if (message.length <= maxProblemLength) return problem;
		return { ...problem, message: `${message.slice(0, maxProblemLength)}…` };
	});
	const rest = problems.length - shownProblems.length;
	if (rest > 0)
		shownProblems.push({ severity: 'warning', path: '', message: `${path}: ${rest} more problems` });
	return shownProblems;
}

/** Checks a settings file. A project's file may set only when and how far to compact, and facts about models. */
export function checkFoundSettings({ scope, path, value, problem }: FoundSettings): CheckedLayer {
	if (problem !== undefined)
		return { values: new Map(), problems: [{ severity: 'error', path: '', message: problem }] };
	const settings = unwrapSettings(value);
	const { $schema: _, ...members } = isFields(settings) ? settings : {};
	const checked = new LayerCheck(path, scope).check(isFields(settings) ? members : settings);
	return { ...checked, problems: shortenProblems(checked.problems, path) };
}

/** Merges the settings of models, member by member for each pattern. Later patterns override earlier ones. */
function mergeModels(base: Settings['models'], overrides: Settings['models']): Settings['models'] {
	const earlierEntries = Object.entries(base).filter(([pattern]) => !Object.hasOwn(overrides, pattern));
	const laterEntries = Object.entries(overrides).map(([pattern, members]) => [
		pattern,
		{ ...base[pattern], ...members },
	]);
	return Object.fromEntries([...earlierEntries, ...laterEntries]);
}

/** Merges layers to settings; later layers override earlier ones. */
export function mergeLayers(layers: readonly CheckedLayer[]): Settings {
	const settings = structuredClone(defaultSettings);
	for (const { values } of layers) {
		for (const [path, value] of values) {
			if (path === 'models') settings.models = mergeModels(settings.models, value as Settings['models']);
			else if (path === 'prices') settings.prices = { ...settings.prices, ...(value as Settings['prices']) };
			else setSetting(settings as unknown as Fields, path, value);
		}
	}
	return settings;
}

/**
 * Updates a layer: valid values replace the old values, a path with an invalid value keeps its old value, and paths that
 * are no longer set are removed.
 */
export function replaceLayer(oldLayer: CheckedLayer, layer: unknown, origin: string): CheckedLayer {
	const newLayer = checkLayer(layer, origin);
	const invalidPaths = newLayer.problems
		.filter(({ severity }) => severity === 'error')
		.map(({ path }) => path);
	const values = new Map(newLayer.values);
	for (const [path, value] of oldLayer.values) {
		if (invalidPaths.some((invalid) => invalid === '' || invalid === path || path.startsWith(`${invalid}.`)))
			values.set(path, value);
	}
	for (const path of ['models', 'prices']) {
		const members = values.get(path);
		const oldMembers = oldLayer.values.get(path);
		if (!isFields(members) || !isFields(oldMembers)) continue;
		const oldEntries = Object.entries(oldMembers).filter(([pattern]) =>
			invalidPaths.includes(`${path}${createNamedMemberPath(pattern)}`),
		);
		values.set(path, { ...members, ...Object.fromEntries(oldEntries) });
	}
	return { values, problems: newLayer.problems };
}
