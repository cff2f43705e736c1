import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkInitializeParams } from '../../server/rpc/initializeParams.ts';
import { isCertainlyAccepted } from '../../server/rpc/initializeResult.ts';

const anything = fc.anything({ withNullPrototype: false });

/** Generates a member as LSP declares it, or null; in one case of four, any value. */
function member<Value>(declared: fc.Arbitrary<Value>): fc.Arbitrary<unknown> {
	return fc.oneof({ weight: 3, arbitrary: fc.option(declared) }, { weight: 1, arbitrary: anything });
}

const folder = fc.record({ uri: member(fc.string()), name: member(fc.string()) }, { requiredKeys: [] });
const params = fc.record(
	{
		processId: member(fc.integer()),
		clientInfo: member(fc.record({ name: fc.string(), version: member(fc.string()) })),
		rootPath: member(fc.string()),
		rootUri: member(fc.string()),
		workspaceFolders: member(fc.array(folder, { maxLength: 2 })),
		capabilities: member(fc.record({ window: anything, experimental: anything })),
		initializationOptions: anything,
		trace: member(fc.constantFrom('off', 'verbose')),
	},
	{ requiredKeys: [] },
);

it('isCertainlyAccepted accepts only params of initialize that the daemon accepts', () => {
	let accepted = 0;
	fc.assert(
		fc.property(params, (generated) => {
			const text = JSON.stringify(generated);
			const given: unknown = text === undefined ? undefined : JSON.parse(text);
			if (!isCertainlyAccepted(given)) return;
			accepted++;
			checkInitializeParams(given);
		}),
		{ numRuns: 500 },
	);
	expect(accepted).toBeGreaterThan(20);
});

it('isCertainlyAccepted accepts what editors send, and neither a trace nor wrong types', () => {
	const editor = {
		processId: 1,
		clientInfo: { name: 'editor' },
		rootUri: null,
		workspaceFolders: [{ uri: 'file:///a', name: 'a' }],
		capabilities: { workspace: { configuration: true } },
		initializationOptions: { contextd: {} },
		trace: 'off',
	};
	expect(isCertainlyAccepted(editor)).toBe(true);
	for (const change of [{ trace: 'verbose' }, { processId: 'x' }, { workspaceFolders: [{ name: 'a' }] }]) {
		expect(isCertainlyAccepted({ ...editor, ...change })).toBe(false);
	}
	expect(isCertainlyAccepted([editor])).toBe(false);
});
