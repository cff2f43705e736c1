import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClientProgram, introducing } from '../../server/relay/introduction.ts';

const cwd = join('/home', 'ada', 'project');

async function introduced(settings: unknown, client: Partial<ClientProgram> = {}) {
	const introduce = await introducing({
		program: ['contextd'],
		version: '1.0.0',
		flags: [],
		cwd,
		environment: { CONTEXTD_HOME: '/state', MY_SECRET_NAME: 'x' },
		...client,
	});
	return introduce(settings);
}

describe('the introduction of a client', () => {
	it('names the state folder of the environment if nothing else does', async () => {
		expect(await introduced(undefined)).toMatchObject({ stateFolder: '/state', isStored: true });
	});

	it.each([[(settings: object) => settings], [(settings: object) => ({ contextd: settings })]])(
		'reads the settings of initialize with and without the key contextd',
		async (nested) => {
			const settings = nested({
				storage: { directory: '/elsewhere', enabled: false },
				summarization: { chain: [{ provider: 'openai', apiKey: { env: 'MY_SECRET_NAME' } }] },
			});
			const { hello, ...place } = await introduced(settings);
			expect(place).toMatchObject({ stateFolder: '/elsewhere', isStored: false });
			expect(hello.environment).toHaveProperty('MY_SECRET_NAME', 'x');
		},
	);

	it('takes a relative folder from where the client works', async () => {
		const { stateFolder } = await introduced({ storage: { directory: 'sessions' } });
		expect(stateFolder).toBe(join(cwd, 'sessions'));
	});

	it('stores nothing if the environment says so, unless a later layer does', async () => {
		const environment = { CONTEXTD_HOME: '/state', CONTEXTD_MEMORY_ENABLED: 'false' };
		expect((await introduced({}, { environment })).isStored).toBe(false);
		expect((await introduced({ storage: { enabled: true } }, { environment })).isStored).toBe(true);
	});
});
