import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { selectDocumentedVariables } from '../../server/core/settings/documentedVariables.ts';

const server = fileURLToPath(new URL('../../server', import.meta.url));

/** Returns the names of environment variables in the code that reads settings of clients. */
function readVariables(): string[] {
	const files = ['core/transcript', 'core/settings', 'node'].flatMap((folder) =>
		readdirSync(join(server, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => readFileSync(join(server, folder, name), 'utf8')),
	);
	const patterns = [
		/variable: '(\w+)'/g,
		/\b(?:env|environment)\.([A-Z]\w+)/g,
		/\b(?:createLocation\(|readVariable\(machine, )'(\w+)'/g,
		/'([A-Z]+_[A-Z_]+_(?:KEY|KEY_ID|TOKEN\w*))'/g,
		/'(CLAUDE_\w+|DISABLE_\w+)'/g,
	];
	const names = files.flatMap((text) =>
		patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')),
	);
	return [...new Set(names)].sort();
}

describe('the variables that a relay sends to the daemon', () => {
	it('documentedVariables keeps all variables that contextd reads for a client', () => {
		const environment = Object.fromEntries(readVariables().map((name) => [name, 'value']));
		expect(Object.keys(environment).length).toBeGreaterThan(30);
		expect(selectDocumentedVariables(environment)).toEqual(environment);
	});

	it('documentedVariables keeps variables that look like keys, since settings may name any of them', () => {
		const keys = { LITELLM_KEY: 'a', my_token: 'b', GATEWAY_SECRET: 'c' };
		expect(selectDocumentedVariables(keys)).toEqual(keys);
	});

	it('documentedVariables drops all other variables', () => {
		expect(
			selectDocumentedVariables({ PATH: '/bin', HOME: '/', NODE_OPTIONS: '-r x', UNSET: undefined }),
		).toEqual({});
	});
});
