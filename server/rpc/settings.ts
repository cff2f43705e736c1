/** The settings of this daemon: its layers, and the client's changes to them. */

import * as z from 'zod';
import { type CheckedLayer, checkLayer, mergeLayers, replaceLayer } from '../core/settings/layers.ts';
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
	/** `workspace/didChangeConfiguration`. */
	notification(changed: () => void): NotificationMethod;
}

const changeOf = takes(didChangeConfiguration, object({ settings: z.any().default(null) }));

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
	const merge = (): void => {
		current = mergeLayers([...fixed, initial, configuration]);
	};
	const isTooDeep = (layer: unknown, origin: string): boolean => {
		const problem = depthProblem(layer, origin);
		if (problem !== undefined) log.error(problem);
		return problem !== undefined;
	};
	return {
		current: () => current,
		initialize(options) {
			if (isTooDeep(options, 'initializationOptions')) return;
			initial = tell(checkLayer(options, 'initializationOptions'));
			merge();
		},
		notification: (changed) => ({
			method: didChangeConfiguration.method,
			handle(params) {
				const { settings } = changeOf(params);
				// Clients that are to be asked for their settings send none here, others those of other servers too.
				if (typeof settings !== 'object' || settings === null || !('contextd' in settings)) return;
				const origin = 'settings.contextd';
				if (isTooDeep(settings.contextd, origin)) return;
				configuration = tell(replaceLayer(configuration, settings.contextd, origin));
				merge();
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
		notification: () => ({
			method: didChangeConfiguration.method,
			handle: () => tell(didChangeConfiguration.method),
		}),
	};
}
