import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
	collectSettings,
	type InspectedKey,
	selectDaemonKeys,
	shouldFollowTranscripts,
} from '../../client-vscode/src/daemon/settings.ts';
import { settingSchemas } from '../../server/core/settings/schema.ts';

interface Property {
	default: unknown;
	markdownDescription: string;
	scope: string;
	order: number;
}

const manifest = JSON.parse(
	readFileSync(new URL('../../client-vscode/package.json', import.meta.url), 'utf8'),
) as {
	contributes: {
		configuration: { title: string; properties: Record<string, Property> }[];
		commands: { command: string; category: string }[];
	};
};
function textsOf(name: string): Record<string, string> {
	return JSON.parse(readFileSync(new URL(`../../client-vscode/${name}`, import.meta.url), 'utf8'));
}
const english = textsOf('package.nls.json');
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
	const keys = selectDaemonKeys(Object.keys(properties));

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
		expect(collectSettings(reader(set), keys)).toEqual({
			compaction: { threshold: 0.9, enabled: false },
			estimator: 'heuristic',
		});
	});

	it('a workspace cannot change where messages are sent or sessions are stored', () => {
		for (const key of ['storage.directory', 'storage.enabled', 'summarization.chain'])
			expect(properties[`contextd.${key}`]?.scope).toBe('machine');
		expect(properties['contextd.languageModel.model']?.scope).toBe('application');
	});

	it('ten basic settings come first', () => {
		const [first] = manifest.contributes.configuration;
		expect(Object.keys(first?.properties ?? {})).toHaveLength(10);
	});

	it.each(['package.nls.json', 'package.nls.de.json'])('groups have different short titles in %s', (name) => {
		const texts = textsOf(name);
		const titles = manifest.contributes.configuration.map(({ title }) => texts[title.slice(1, -1)] ?? '');
		expect(new Set(titles).size).toBe(titles.length);
		// The settings editor truncates longer titles.
		for (const title of titles) expect(title).toMatch(/^.{1,12}$/);
	});

	it('settings of a group are listed in the order of the manifest', () => {
		for (const { properties } of manifest.contributes.configuration)
			expect(Object.values(properties).map(({ order }) => order)).toEqual([
				...Object.keys(properties).keys(),
			]);
	});

	it('an untrusted workspace can turn following transcripts off, but not on', () => {
		expect(shouldFollowTranscripts({ globalValue: true, workspaceValue: false }, false)).toBe(false);
		expect(shouldFollowTranscripts({ globalValue: false, workspaceValue: true }, false)).toBe(false);
		expect(shouldFollowTranscripts({ globalValue: false, workspaceValue: true }, true)).toBe(true);
		expect(shouldFollowTranscripts({}, false)).toBe(true);
	});
});
