import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientProgram, prepareIntroduction } from '../../server/relay/introduction.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

afterEach(removeFolders);

const cwd = join('/home', 'ada', 'project');

async function introduced(settings: unknown, client: Partial<ClientProgram> = {}) {
	const introduce = await prepareIntroduction({
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
	it('the introduction of a client takes the state folder from the environment by default', async () => {
		expect(await introduced(undefined)).toMatchObject({ stateFolder: '/state', isOnDisk: true });
	});

	it.each([[(settings: object) => settings], [(settings: object) => ({ contextd: settings })]])(
		'the introduction of a client reads the settings of initialize with and without the key contextd',
		async (nested) => {
			const settings = nested({
				storage: { directory: '/elsewhere', enabled: false },
				summarization: { chain: [{ provider: 'openai', apiKey: { env: 'MY_SECRET_NAME' } }] },
			});
			const { hello, ...place } = await introduced(settings);
			expect(place).toMatchObject({ stateFolder: '/elsewhere', isOnDisk: false });
			expect(hello.environment).toHaveProperty('MY_SECRET_NAME', 'x');
		},
	);

	it('the introduction of a client reads the user’s settings file below the environment and the client', async () => {
		const home = freshFolder();
		mkdirSync(join(home, 'contextd'));
		const settings = {
			storage: { directory: '/own', enabled: false },
			summarization: { chain: [{ provider: 'openai', model: 'm', apiKey: { env: 'MY_SECRET_NAME' } }] },
		};
		writeFileSync(join(home, 'contextd', 'contextd.json'), `${JSON.stringify(settings)} // mine`);
		const environment = { XDG_CONFIG_HOME: home, MY_SECRET_NAME: 'x' };
		const { hello, ...place } = await introduced({}, { environment });
		expect(place).toMatchObject({ stateFolder: '/own', isOnDisk: false });
		expect(hello.environment).toHaveProperty('MY_SECRET_NAME', 'x');
		const told = { ...environment, CONTEXTD_MEMORY_ENABLED: 'true' };
		expect(await introduced({ storage: { directory: '/client' } }, { environment: told })).toMatchObject({
			stateFolder: '/client',
			isOnDisk: true,
		});
	});

	it("the introduction of a client resolves a relative folder against the client's working directory", async () => {
		const { stateFolder } = await introduced({ storage: { directory: 'sessions' } });
		expect(stateFolder).toBe(join(cwd, 'sessions'));
	});

	it('the introduction of a client disables storage by the environment, unless a later layer enables it', async () => {
		const environment = { CONTEXTD_HOME: '/state', CONTEXTD_MEMORY_ENABLED: 'false' };
		expect((await introduced({}, { environment })).isOnDisk).toBe(false);
		expect((await introduced({ storage: { enabled: true } }, { environment })).isOnDisk).toBe(true);
	});
});
