import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
	daemonKeys,
	type InspectedKey,
	isFollowed,
	settingsOf,
} from '../../client-vscode/src/daemon/settings.ts';
import { settingSchemas } from '../../server/core/settings/schema.ts';

interface Property {
	default: unknown;
	markdownDescription: string;
	scope: string;
}

const manifest = JSON.parse(
	readFileSync(new URL('../../client-vscode/package.json', import.meta.url), 'utf8'),
) as {
	contributes: {
		configuration: { title: string; properties: Record<string, Property> }[];
		commands: { command: string; category: string }[];
	};
};
const english = JSON.parse(
	readFileSync(new URL('../../client-vscode/package.nls.json', import.meta.url), 'utf8'),
) as Record<string, string>;
const properties: Record<string, Property> = Object.assign(
	{},
	...manifest.contributes.configuration.map((section) => section.properties),
);

function reader(set: Record<string, InspectedKey>) {
	return {
		inspect: (key: string) => set[key],
		get: (key: string) =>
			set[key]?.workspaceFolderValue ?? set[key]?.workspaceValue ?? set[key]?.globalValue ?? 'a default',
	};
}

describe('settings of the extension', () => {
	const keys = daemonKeys(Object.keys(properties));

	it('the extension has all settings of the daemon except those that it decides itself', () => {
		const decided = ['summarization.useClient'];
		expect(new Set([...keys, ...decided])).toEqual(new Set(settingSchemas.keys()));
	});

	it('every setting has a description', () => {
		for (const key of keys) {
			const text = properties[`contextd.${key}`]?.markdownDescription ?? '';
			expect(english[text.slice(1, -1)]).toMatch(/\.$/);
		}
	});

	it('only settings that the user set are sent', () => {
		const set = {
			'compaction.threshold': { globalValue: 0.9 },
			'compaction.enabled': { workspaceValue: false },
			estimator: { globalValue: 'heuristic' },
			reserve: {},
		};
		expect(settingsOf(reader(set), keys)).toEqual({
			compaction: { threshold: 0.9, enabled: false },
			estimator: 'heuristic',
		});
	});

	it('a workspace cannot change where messages are sent or sessions are stored', () => {
		for (const key of ['storage.directory', 'storage.enabled', 'summarization.chain'])
			expect(properties[`contextd.${key}`]?.scope).toBe('machine');
		expect(properties['contextd.languageModel.model']?.scope).toBe('application');
	});

	it('ten basic settings come first, and all others are advanced', () => {
		const [first, ...others] = manifest.contributes.configuration;
		expect(Object.keys(first?.properties ?? {})).toHaveLength(10);
		for (const { title } of others) expect(english[title.slice(1, -1)]).toMatch(/^Advanced: /);
	});

	it('an untrusted workspace can turn following transcripts off, but not on', () => {
		expect(isFollowed({ globalValue: true, workspaceValue: false }, false)).toBe(false);
		expect(isFollowed({ globalValue: false, workspaceValue: true }, false)).toBe(false);
		expect(isFollowed({ globalValue: false, workspaceValue: true }, true)).toBe(true);
		expect(isFollowed({}, false)).toBe(true);
	});
});
