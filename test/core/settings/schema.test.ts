import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSettingFault } from '../../../server/core/settings/check.ts';
import { checkLayer, mergeLayers, replaceLayer } from '../../../server/core/settings/layers.ts';
import { defaultSettings, settingSchemas } from '../../../server/core/settings/schema.ts';
import { setSetting } from '../../../server/core/settings/settingsKey.ts';
import { type Fields, isFields } from '../../../server/core/shape.ts';

/** Returns the settings layer with one setting. */
function layerOf(path: string, value: unknown): Fields {
	const layer: Fields = {};
	setSetting(layer, path, value);
	return layer;
}

function messagesFor(path: string, value: unknown): string[] {
	return checkLayer(layerOf(path, value), 'x').problems.map(({ message }) => message);
}

describe('the schema of the settings', () => {
	it('the schema of the settings gives every setting a default that is valid or null', () => {
		for (const [path, schema] of settingSchemas) {
			expect([path, schema.default]).not.toEqual([path, undefined]);
			const fault = schema.default === null ? null : findSettingFault(schema, schema.default);
			expect([path, fault]).toEqual([path, null]);
		}
		expect(mergeLayers([checkLayer(defaultSettings, 'x')])).toEqual(defaultSettings);
		expect(mergeLayers([])).toEqual(defaultSettings);
	});

	it.each([
		['compaction.enabled', 1, 'expected true or false, got 1'],
		['compaction.threshold', 1.5, 'expected a number from 0 to 1, got 1.5'],
		['compaction.recentCount', 0.5, 'expected a whole number from 0, got 0.5'],
		['compaction.pruneTools', 'a', 'expected a list of strings, got "a"'],
		['compaction.levels', 0.5, 'expected an object { warning, critical, overflow }, got 0.5'],
		['models', 5, 'expected an object of { contextWindow, maxOutputTokens, … } by name, got 5'],
		['summarization.chain', {}, 'expected a list of { provider, model, … }, got an object'],
		['logLevel', 'loud', 'expected one of "off", "error", "warning", "info", "debug", got "loud"'],
	])(
		'the schema of the settings says what it expected in place of an invalid value: %s',
		(path, value, text) => {
			expect(messagesFor(path, value)).toEqual([`x: ${path}: ${text}`]);
		},
	);

	it.each([
		[[5], '[0]: expected an object { provider, model, … }, got 5'],
		[[{ provider: 'x' }], '[0].provider: expected one of "client", "anthropic"'],
		[[{}], '[0].provider: expected one of "client", "anthropic"'],
		[[{ provider: 'openai' }], '[0].model: expected a string, got nothing'],
		[[{ provider: 'openai', model: '' }], '[0].model: expected a nonempty string, got a string'],
		[
			[{ provider: 'client' }, { provider: 'openai-compatible', model: 'm' }],
			'[1].baseURL: expected an address',
		],
		[[{ provider: 'openai', model: 'm', baseURL: 'http://x.y' }], '[0].baseURL: expected an https address'],
		[
			[{ provider: 'openai', model: 'm', apiKey: { env: 5 } }],
			'[0].apiKey: expected a nonempty string or an object { env }',
		],
		[[{ provider: 'openai', model: 'm', headers: { a: 5 } }], '[0].headers["a"]: expected a string, got 5'],
		[[{ provider: 'bedrock', model: 'm', region: 'a/b' }], '[0].region: expected letters, digits and "-"'],
	])('the schema of the settings names the invalid member of a chain: %j', (chain, text) => {
		const [message, ...others] = messagesFor('summarization.chain', chain);
		expect(others).toEqual([]);
		expect(message).toContain(`x: summarization.chain${text}`);
	});

	it.each([
		[{ opus: 5 }, '["opus"]: expected an object { input, output, … }, got 5'],
		[{ opus: { input: 4 } }, '["opus"].output: expected a number from 0 to 1000000, got nothing'],
		[{ opus: { input: -1, output: 4 } }, '["opus"].input: expected a number from 0 to 1000000, got -1'],
		[{ opus: { input: 1, output: '4' } }, '["opus"].output: expected a number from 0 to 1000000, got "4"'],
	])('the schema of the settings names the invalid member of a price: %j', (prices, text) => {
		expect(messagesFor('prices', prices)).toEqual([`x: prices${text}`]);
	});

	it('prices of one layer keep those of an earlier one, and an invalid price the old one', () => {
		const first = checkLayer({ prices: { a: { input: 1, output: 2 }, b: { input: 3, output: 4 } } }, 'x');
		const second = checkLayer({ prices: { b: { input: 5, output: 6 } } }, 'y');
		expect(mergeLayers([first, second]).prices).toEqual({
			a: { input: 1, output: 2 },
			b: { input: 5, output: 6 },
		});
		const replaced = replaceLayer(first, { prices: { a: { input: 'x', output: 2 } } }, 'x');
		expect(mergeLayers([replaced]).prices).toEqual({ a: { input: 1, output: 2 } });
	});

	it('the schema of the settings names a missing level, and levels that do not ascend', () => {
		expect(messagesFor('compaction.levels', { warning: 0.1, overflow: 0.9 })).toEqual([
			'x: compaction.levels.critical: expected a number from 0 to 1, got nothing',
		]);
		expect(messagesFor('compaction.levels', { warning: 0.5, critical: 0.5, overflow: 0.9 })[0]).toContain(
			'expected ascending levels { warning, critical, overflow }',
		);
	});

	it('the schema of the settings takes null for not set at every depth', () => {
		const layer = {
			compaction: { threshold: null },
			models: { a: null, b: { contextWindow: 5, profile: null } },
			summarization: { chain: [{ provider: 'client', model: null }] },
		};
		const { values, problems } = checkLayer(layer, 'x');
		expect(problems).toEqual([]);
		expect(Object.fromEntries(values)).toEqual({
			models: { b: { contextWindow: 5 } },
			'summarization.chain': [{ provider: 'client' }],
		});
	});

	it('the schema of the settings suggests the known name for a typo at every depth', () => {
		const valid = {
			compaction: { enabled: true, levels: { warning: 0.1, critical: 0.2, overflow: 0.3 } },
			models: { 'm*': { contextWindow: 5 } },
			summarization: { chain: [{ provider: 'openai', model: 'm', apiKey: { env: 'A_KEY' } }] },
			tokenThreshold: 5,
		};
		const objects: Fields[] = [];
		const collect = (value: unknown): void => {
			if (isFields(value)) objects.push(value);
			if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
		};
		collect(valid);
		// Keys of `models` are patterns and may have any name.
		for (const object of objects.filter((one) => one !== valid.models)) {
			const [name = '', value] = Object.entries(object)[0] ?? [];
			object[`${name}s`] = value;
			const messages = checkLayer(valid, 'x').problems.map(({ message }) => message);
			expect(messages).toHaveLength(1);
			expect(messages[0]).toMatch(
				new RegExp(`unknown setting "(.*[.])?${name}s" [(]did you mean "${name}"[?][)]$`),
			);
			delete object[`${name}s`];
		}
	});

	it('the schema of the settings answers any value with valid settings', () => {
		const names = fc.constantFrom(
			...[...settingSchemas.keys()].flatMap((path) => [path, ...path.split('.')]),
		);
		const values = fc.letrec<{ value: unknown }>((tie) => ({
			value: fc.oneof(
				{ maxDepth: 4 },
				fc.jsonValue({ maxDepth: 1 }),
				fc.dictionary(names, tie('value')),
				fc.array(tie('value'), { maxLength: 3 }),
			),
		})).value;
		fc.assert(
			fc.property(fc.dictionary(names, values), (layer) => {
				for (const [path, value] of checkLayer(layer, 'x').values) {
					const schema = settingSchemas.get(path);
					expect(schema && findSettingFault(schema, value)).toBeNull();
				}
			}),
		);
	});
});

describe('merged layers', () => {
	it('merged settings take each value from the last layer that sets it', () => {
		const number = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
		const layer = fc.record({
			compaction: fc.record({ threshold: number, targetRatio: number, enabled: fc.option(fc.boolean()) }),
			tokenThreshold: fc.option(fc.nat()),
			models: fc.dictionary(
				fc.constantFrom('a', 'b*'),
				fc.record({ contextWindow: fc.option(fc.integer({ min: 1 })) }),
			),
		});
		const last = <T>(values: (T | null | undefined)[]): T | undefined =>
			values.findLast((value) => value !== null) ?? undefined;
		fc.assert(
			fc.property(fc.array(layer, { maxLength: 6 }), (layers) => {
				const merged = mergeLayers(layers.map((one) => checkLayer(one, 'x')));
				const { compaction, tokenThreshold } = defaultSettings;
				expect(merged.compaction).toEqual({
					...compaction,
					threshold: last([compaction.threshold, ...layers.map((one) => one.compaction.threshold)]) ?? null,
					targetRatio:
						last([compaction.targetRatio, ...layers.map((one) => one.compaction.targetRatio)]) ?? null,
					enabled: last([compaction.enabled, ...layers.map((one) => one.compaction.enabled)]),
				});
				expect(merged.tokenThreshold).toBe(
					last([tokenThreshold, ...layers.map((one) => one.tokenThreshold)]),
				);
				for (const pattern of ['a', 'b*']) {
					const windows = layers.map(({ models }) => models[pattern]?.contextWindow ?? null);
					expect(merged.models[pattern]?.contextWindow).toBe(last(windows));
				}
			}),
		);
	});
});
