/** The settings of this daemon: its layers, and the client's changes to them. */

import * as z from 'zod/mini';
import {
	type CheckedLayer,
	checkLayer,
	defaultSettings,
	mergeLayers,
	replaceLayer,
} from '../core/settings/layers.ts';
import { settingsKey as key, withoutKey } from '../core/settings/settingsKey.ts';
import { isFields } from '../core/shape.ts';
import { didChangeConfiguration } from '../protocol/lsp.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Logger } from '../session/ports.ts';
import { takes } from './call/define.ts';
import { depthProblem } from './call/depth.ts';
import type { NotificationMethod } from './call/method.ts';
import { object } from './call/object.ts';

export interface SettingsLayers {
	current(): Settings;
	/** Takes `initializationOptions`. */
	initialize(options: unknown): void;
	/** Takes what the client answered to `workspace/configuration`; null and undefined mean that nothing is set. */
	pulled(settings: unknown): void;
	/**
	 * `workspace/didChangeConfiguration`.
	 * @param changed called after settings were taken
	 * @param pull called if the message contains no settings of contextd, as from clients that want to be asked
	 */
	notification(changed: () => void, pull: () => void): NotificationMethod;
}

/** Whether settings are contextd's: other clients send those of other servers with them, or alone. */
function areOwn(settings: unknown): boolean {
	if (!isFields(settings)) return false;
	return Object.keys(settings).some((name) => name === key || Object.hasOwn(defaultSettings, name));
}

const changeOf = takes(didChangeConfiguration, object({ settings: z._default(z.any(), null) }));

/** Settings from environment and flags, over which the client lays its own. Problems are logged. */
export function createSettingsLayers(log: Logger, environment: unknown, flags: unknown): SettingsLayers {
	const tell = (layer: CheckedLayer): CheckedLayer => {
		for (const { severity, message } of layer.problems) {
			if (severity === 'error') log.error(message);
			else log.warn(message);
		}
		return layer;
	};
	const fixed = [tell(checkLayer(environment, 'environment')), tell(checkLayer(flags, 'flags'))];
	let initial: CheckedLayer = { values: new Map(), problems: [] };
	let configuration: CheckedLayer = { values: new Map(), problems: [] };
	let current = mergeLayers(fixed);
	/** Whether the configuration was pulled: what a client pushes is not removed by an empty answer. */
	let arePulled = false;
	const merge = (): void => {
		current = mergeLayers([...fixed, initial, configuration]);
	};
	const isTooDeep = (layer: unknown, origin: string): boolean => {
		const problem = depthProblem(layer, origin);
		if (problem !== undefined) log.error(problem);
		return problem !== undefined;
	};
	/** Returns whether the settings were taken. */
	const apply = (settings: unknown, origin: string): boolean => {
		if (isTooDeep(settings, origin)) return false;
		configuration = tell(replaceLayer(configuration, settings, origin));
		merge();
		return true;
	};
	return {
		current: () => current,
		initialize(options) {
			if (isTooDeep(options, 'initializationOptions')) return;
			initial = tell(checkLayer(withoutKey(options), 'initializationOptions'));
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

/** Settings from one file, and from nothing else; whatever a client sends is told to the log. Problems are logged. */
export function createFixedSettings(log: Logger, origin: string, layer: unknown): SettingsLayers {
	const checked = checkLayer(layer, origin);
	for (const { severity, message } of checked.problems) {
		if (severity === 'error') log.error(message);
		else log.warn(message);
	}
	const current = mergeLayers([checked]);
	const tell = (what: string): void => log.warn(`${what}: the settings are those of ${origin} alone`);
	return {
		current: () => current,
		initialize(options) {
			if (options !== undefined && options !== null) tell('initializationOptions');
		},
		pulled: () => {},
		notification: () => ({
			method: didChangeConfiguration.method,
			handle: () => tell(didChangeConfiguration.method),
		}),
	};
}
