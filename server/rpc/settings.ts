/** The settings of this daemon, in layers, and the client's changes to them. */

import * as z from 'zod/mini';
import { type CheckedLayer, checkLayer, mergeLayers, replaceLayer } from '../core/settings/layers.ts';
import { defaultSettings } from '../core/settings/schema.ts';
import { settingsKey as key, withoutKey } from '../core/settings/settingsKey.ts';
import { isFields } from '../core/shape.ts';
import { didChangeConfiguration } from '../protocol/lsp.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Logger } from '../session/ports.ts';
import { parseParams } from './call/define.ts';
import { depthProblem } from './call/depth.ts';
import type { NotificationMethod } from './call/method.ts';
import { object } from './call/object.ts';

export interface SettingsLayers {
	current(): Settings;
	/** Applies `initializationOptions`. */
	initialize(options: unknown): void;
	/** Applies the client's answer to `workspace/configuration`; null and undefined mean that nothing is set. */
	pulled(settings: unknown): void;
	/**
	 * `workspace/didChangeConfiguration`.
	 * @param changed called after settings were applied
	 * @param pull called if the message has no settings of contextd, as from clients that expect to be asked
	 */
	notification(changed: () => void, pull: () => void): NotificationMethod;
}

/** Whether settings belong to contextd: clients may send those of other servers, with ours or alone. */
function areOwn(settings: unknown): boolean {
	if (!isFields(settings)) return false;
	return Object.keys(settings).some((name) => name === key || Object.hasOwn(defaultSettings, name));
}

const changeOf = parseParams(didChangeConfiguration, object({ settings: z._default(z.any(), null) }));

/** Settings from environment and flags, overridden by the client's. Problems are logged. */
export function createSettingsLayers(log: Logger, environment: unknown, flags: unknown): SettingsLayers {
	const logProblems = (layer: CheckedLayer): CheckedLayer => {
		for (const { severity, message } of layer.problems) {
			if (severity === 'error') log.error(message);
			else log.warn(message);
		}
		return layer;
	};
	const fixed = [
		logProblems(checkLayer(environment, 'environment')),
		logProblems(checkLayer(flags, 'flags')),
	];
	let initial: CheckedLayer = { values: new Map(), problems: [] };
	let configuration: CheckedLayer = { values: new Map(), problems: [] };
	let current = mergeLayers(fixed);
	/** Whether the configuration was pulled: an empty answer must not remove settings that a client pushed. */
	let arePulled = false;
	const merge = (): void => {
		current = mergeLayers([...fixed, initial, configuration]);
	};
	const isTooDeep = (layer: unknown, origin: string): boolean => {
		const problem = depthProblem(layer, origin);
		if (problem !== undefined) log.error(problem);
		return problem !== undefined;
	};
	/** Returns whether the settings were applied. */
	const apply = (settings: unknown, origin: string): boolean => {
		if (isTooDeep(settings, origin)) return false;
		configuration = logProblems(replaceLayer(configuration, settings, origin));
		merge();
		return true;
	};
	return {
		current: () => current,
		initialize(options) {
			if (isTooDeep(options, 'initializationOptions')) return;
			initial = logProblems(checkLayer(withoutKey(options), 'initializationOptions'));
			merge();
		},
		pulled(settings) {
			if (settings !== null && settings !== undefined) arePulled = apply(withoutKey(settings), key);
			else if (arePulled) apply({}, key);
		},
		notification: (changed, pull) => ({
			method: didChangeConfiguration.method,
			handle(params) {
				const { settings } = changeOf(params);
				if (!areOwn(settings)) {
					pull();
					return;
				}
				arePulled = false;
				apply(withoutKey(settings), key in settings ? 'settings.contextd' : 'settings');
				changed();
			},
		}),
	};
}

/** Settings from one file only; settings that a client sends are ignored with a warning. Problems are logged. */
export function createFixedSettings(log: Logger, origin: string, layer: unknown): SettingsLayers {
	const checked = checkLayer(layer, origin);
	for (const { severity, message } of checked.problems) {
		if (severity === 'error') log.error(message);
		else log.warn(message);
	}
	const current = mergeLayers([checked]);
	const warnIgnored = (what: string): void =>
		log.warn(`ignoring settings from ${what}: only those of ${origin} apply`);
	return {
		current: () => current,
		initialize(options) {
			if (options !== undefined && options !== null) warnIgnored('initializationOptions');
		},
		pulled: () => {},
		notification: () => ({
			method: didChangeConfiguration.method,
			handle: () => warnIgnored(didChangeConfiguration.method),
		}),
	};
}
