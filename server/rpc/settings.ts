/** The settings that apply to one client, in layers, and the client's changes to them. */

import * as z from 'zod/mini';
import {
	type CheckedLayer,
	checkFoundSettings,
	checkLayer,
	type FoundSettings,
	mergeLayers,
	replaceLayer,
} from '../core/settings/layers.ts';
import { defaultSettings } from '../core/settings/schema.ts';
import { settingsKey as key, unwrapSettings } from '../core/settings/settingsKey.ts';
import { isFields } from '../core/shape.ts';
import { didChangeConfiguration } from '../protocol/lsp.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Logger } from '../session/ports.ts';
import { type NotificationMethod, parseParams } from './call/define.ts';
import { objectSchema } from './call/object.ts';
import { describeExcessiveDepth } from './call/params.ts';

export interface SettingsLayers {
	getSettings(): Settings;
	/** Applies the settings files of the client's user and project, which replace those applied earlier. */
	useFiles(files: readonly FoundSettings[]): void;
	/** Applies `initializationOptions`. */
	initialize(options: unknown): void;
	/** Applies the client's answer to `workspace/configuration`; null and undefined mean that nothing is set. */
	applyPulled(settings: unknown): void;
	/**
	 * Returns the handler of `workspace/didChangeConfiguration`.
	 * @param onChange called after settings were applied
	 * @param requestSettings called if the message has no settings of contextd, because some clients expect to be asked for them
	 */
	createChangeMethod(onChange: () => void, requestSettings: () => void): NotificationMethod;
}

/** Returns whether settings belong to contextd; clients may also send settings of other servers. */
function areForContextd(settings: unknown): boolean {
	if (!isFields(settings)) return false;
	return Object.keys(settings).some((name) => name === key || Object.hasOwn(defaultSettings, name));
}

const parseConfigurationChange = parseParams(
	didChangeConfiguration,
	objectSchema({ settings: z._default(z.any(), null) }),
);

function logProblems(log: Logger, layer: CheckedLayer): CheckedLayer {
	for (const { severity, message } of layer.problems) {
		if (severity === 'error') log.error(message);
		else log.warn(message);
	}
	return layer;
}

const emptyLayer: CheckedLayer = { values: new Map(), problems: [] };

/**
 * Settings in layers; later layers override earlier ones: files of the user and the project, environment, flags,
 * `initializationOptions`, configuration. Problems are logged.
 *
 * `initializationOptions` and the configuration are separate layers; a new configuration replaces the previous one,
 * whether it was pulled or pushed. Settings that are nested too deeply change nothing.
 */
export class ClientSettings implements SettingsLayers {
	readonly #log: Logger;
	readonly #startLayers: readonly CheckedLayer[];
	#files: readonly CheckedLayer[] = [];
	#initializationOptions = emptyLayer;
	#configuration = emptyLayer;
	#mergedSettings: Settings;
	/** Whether the configuration was pulled. If not, an empty answer must not remove the settings that the client pushed. */
	#isConfigurationPulled = false;

	constructor(log: Logger, environment: unknown, flags: unknown) {
		this.#log = log;
		this.#startLayers = [
			logProblems(log, checkLayer(environment, 'environment')),
			logProblems(log, checkLayer(flags, 'flags')),
		];
		this.#mergedSettings = mergeLayers(this.#startLayers);
	}

	getSettings(): Settings {
		return this.#mergedSettings;
	}

	useFiles(files: readonly FoundSettings[]): void {
		this.#files = files.map((file) => logProblems(this.#log, checkFoundSettings(file)));
		this.#merge();
	}

	initialize(options: unknown): void {
		if (this.#isTooDeep(options, 'initializationOptions')) return;
		this.#initializationOptions = logProblems(
			this.#log,
			checkLayer(unwrapSettings(options), 'initializationOptions'),
		);
		this.#merge();
	}

	applyPulled(settings: unknown): void {
		if (settings !== null && settings !== undefined) {
			this.#isConfigurationPulled = this.#apply(unwrapSettings(settings), key);
		} else if (this.#isConfigurationPulled) this.#apply({}, key);
	}

	createChangeMethod(onChange: () => void, requestSettings: () => void): NotificationMethod {
		return {
			method: didChangeConfiguration.method,
			handle: (params) => {
				const { settings } = parseConfigurationChange(params);
				if (!areForContextd(settings)) {
					requestSettings();
					return;
				}
				this.#isConfigurationPulled = false;
				this.#apply(unwrapSettings(settings), key in settings ? 'settings.contextd' : 'settings');
				onChange();
			},
		};
	}

	/** Returns whether the settings were applied. */
	#apply(settings: unknown, origin: string): boolean {
		if (this.#isTooDeep(settings, origin)) return false;
		this.#configuration = logProblems(this.#log, replaceLayer(this.#configuration, settings, origin));
		this.#merge();
		return true;
	}

	#isTooDeep(layer: unknown, origin: string): boolean {
		const problem = describeExcessiveDepth(layer, origin);
		if (problem !== undefined) this.#log.error(problem);
		return problem !== undefined;
	}

	#merge(): void {
		this.#mergedSettings = mergeLayers([
			...this.#files,
			...this.#startLayers,
			this.#initializationOptions,
			this.#configuration,
		]);
	}
}

/** Returns settings from one file only; ignores settings that a client sends, with a warning. Problems are logged. */
export function createFixedSettings(log: Logger, origin: string, layer: unknown): SettingsLayers {
	const current = mergeLayers([logProblems(log, checkLayer(layer, origin))]);
	const warnIgnored = (source: string): void =>
		log.warn(`ignoring settings from ${source}: only those of ${origin} apply`);
	return {
		getSettings: () => current,
		useFiles: () => {},
		initialize(options) {
			if (options !== undefined && options !== null) warnIgnored('initializationOptions');
		},
		applyPulled: () => {},
		createChangeMethod: () => ({
			method: didChangeConfiguration.method,
			handle: () => warnIgnored(didChangeConfiguration.method),
		}),
	};
}
