import { expect, it } from 'vitest';
import type { Host } from '../../client-claude/src/host.ts';
import { registerLookup } from '../../client-claude/src/lookup.ts';

/** Returns a simulated host of Claude Code, and the names of the commands and tools that were registered. */
function registry(hookEnv: () => Promise<Readonly<Record<string, string>>>) {
	const names: string[] = [];
	const register = async ({ name }: { name: string }) => void names.push(name);
	const host = { process: { hookEnv }, tool: { register }, command: { register } } as unknown as Host;
	return { host, names };
}

it('the plugin registers tools and commands in a Claude Code that supports them', async () => {
	const { host, names } = registry(async () => ({ CLAUDE_CODE_SESSION_ID: 's' }));
	await registerLookup(host);
	expect(names).toEqual(['contextd_recall', 'contextd_stats', 'contextd', 'contextd-undo', 'contextd-pin']);
});

it('the plugin registers nothing in a Claude Code that would not run the commands', async () => {
	const { host, names } = registry(() => {
		throw new TypeError('hookEnv is not a function');
	});
	await registerLookup(host);
	expect(names).toEqual([]);
});
