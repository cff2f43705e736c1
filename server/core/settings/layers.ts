/** Settings come in layers, later over earlier: defaults, environment, flags, the client's own. */

import type { Settings } from '../../protocol/settings.ts';
import { isEmptyList, isFields } from '../shape.ts';
import { unknownMembers } from './chain.ts';
import { fields, sections } from './fields.ts';
import { defaultSettings } from './settings.ts';

export interface Problem {
	severity: 'warning' | 'error';
	/** The setting that it is about; empty where it is the layer as a whole. */
	path: string;
	message: string;
}

export interface CheckedLayer {
	/** The good values by path. */
	values: ReadonlyMap<string, unknown>;
	problems: Problem[];
}

function shown(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
	return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** What is wrong, without anything that may hold a key: of what may, only its kind is told. */
function shownAt(path: string, value: unknown): string {
	const mayHoldKeys = path === '' || path.split('.')[0] === 'summarization';
	if (!mayHoldKeys || typeof value === 'number' || typeof value === 'boolean') return shown(value);
	return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** An empty list as the object without members that it may stand for: Lua cannot tell the two apart. */
function named(value: unknown): unknown {
	return isEmptyList(value) ? {} : value;
}

/** Goes through a layer: an unknown key is a warning, a bad value an error that names it. Null means "not set". */
export function checkLayer(layer: unknown, origin: string): CheckedLayer {
	const values = new Map<string, unknown>();
	const problems: Problem[] = [];
	if (layer === undefined || layer === null) return { values, problems };
	const members = named(layer);
	if (!isFields(members)) {
		problems.push({
			severity: 'error',
			path: '',
			message: `${origin}: expected an object of settings, got ${shownAt('', layer)}`,
		});
		return { values, problems };
	}
	const unknown = (path: string): void => {
		problems.push({ severity: 'warning', path, message: `${origin}: unknown setting "${path}"` });
	};
	const visit = (path: string, value: unknown): void => {
		const check = Object.hasOwn(fields, path) ? fields[path] : undefined;
		if (check) {
			if (value === null || value === undefined) return;
			const given = check(value) === null ? value : named(value);
			const expected = check(given);
			if (expected === null) {
				values.set(path, given);
				if (path === 'summarization.chain')
					for (const name of unknownMembers(given)) unknown(`${path}${name}`);
			} else
				problems.push({
					severity: 'error',
					path,
					message: `${origin}: ${path}: expected ${expected}, got ${shownAt(path, value)}`,
				});
		} else if (sections.has(path)) {
			const group = named(value);
			if (isFields(group)) for (const [key, inner] of Object.entries(group)) visit(`${path}.${key}`, inner);
			else if (value !== null && value !== undefined) {
				problems.push({
					severity: 'error',
					path,
					message: `${origin}: ${path}: expected an object, got ${shownAt(path, value)}`,
				});
			}
		} else unknown(path);
	};
	for (const [key, value] of Object.entries(members)) visit(key, value);
	return { values, problems };
}

/** The settings that layers amount to, later over earlier. */
export function mergeLayers(layers: readonly CheckedLayer[]): Settings {
	const merged = structuredClone(defaultSettings) as unknown as Record<string, unknown>;
	for (const { values } of layers) {
		for (const [path, value] of values) {
			const [section = '', key] = path.split('.');
			if (key === undefined) merged[section] = value;
			else (merged[section] as Record<string, unknown>)[key] = value;
		}
	}
	return merged as unknown as Settings;
}

/**
 * A newer version of a layer: good values replace the old, a bad one leaves the old value of its path, a path
 * that is no longer set is dropped.
 */
export function replaceLayer(old: CheckedLayer, layer: unknown, origin: string): CheckedLayer {
	const next = checkLayer(layer, origin);
	const failed = next.problems.filter(({ severity }) => severity === 'error').map(({ path }) => path);
	const values = new Map(next.values);
	for (const [path, value] of old.values) {
		if (failed.some((bad) => bad === '' || bad === path || path.startsWith(`${bad}.`)))
			values.set(path, value);
	}
	return { values, problems: next.problems };
}
