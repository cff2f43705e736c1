import { describe, expect, it } from 'vitest';
import { quoteLine, truncateLine, truncateWithMark } from '../../../server/core/analysis/text/quote.ts';
import { maskSecrets } from '../../../server/core/analysis/text/secrets.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const filler = 'abcDEF0123456789'.repeat(3);

describe('keys of services', () => {
	it.each([
		`sk-ant-api03-${filler}`,
		`sk-proj-${filler}`,
		`ghp_${filler}`,
		`sk_live_${filler}`,
		`github_pat_${filler}`,
		`glpat-${filler}`,
		'AKIAABCDEFGHIJKLMNOP',
		`AIza${filler}`,
		`xoxb-${filler}`,
		`1234567890:AA${filler.slice(0, 33)}`,
		`GOCSPX-${filler.slice(0, 28)}`,
		`eyJ${filler}.eyJ${filler}.${filler}`,
	])('a key like %s is shortened', (key) => {
		expect(maskSecrets(`KEY=${key}\n`)).toBe(`KEY=${key.slice(0, 6)}… (key)\n`);
	});

	it.each(['key', 'token', 'access_token', 'secret', 'sig', 'api_key'])(
		'the value of the parameter %s of an address is shortened',
		(name) => {
			const uuid = '7c1f04d2-3b5a-4e60-9d18-a2b3c4d5e6f7';
			for (const value of [uuid, filler])
				expect(maskSecrets(`POST https://port.example/send?to=1&${name}=${value} 200`)).toBe(
					`POST https://port.example/send?to=1&${name}=${value.slice(0, 6)}… (key) 200`,
				);
		},
	);

	it.each(['PORT_API_KEY', 'HARBOUR_TOKEN', 'TOKEN', 'JWT_SECRET', 'AWS_SECRET_ACCESS_KEY'])(
		'the value of the variable %s is shortened',
		(name) => {
			for (const value of ['7c1f04d23b5a4e609d18a2b3c4d5e6f7', filler])
				for (const quote of ['', '"'])
					expect(maskSecrets(`export ${name}=${quote}${value}${quote} && make`)).toBe(
						`export ${name}=${quote}${value.slice(0, 6)}… (key)${quote} && make`,
					);
		},
	);

	it.each([
		'PORT_API_KEY=your-key-of-2026 HARBOUR_TOKEN=token_of_the_port_2026 JWT_SECRET=$JWT_SECRET_OF_2026',
		'PORT_KEY=tides-of-the-harbour-2026 const TOKEN=readTokenOfHarbour2026(port)',
		'https://port.example/send?key=YOUR_KEY',
		'https://port.example/send?key=$PORT_KEY_OF_2026_HARBOUR',
		'https://port.example/send?token=<token-of-the-harbour-2026>',
		'https://port.example/list?key=tide-table-of-the-port-2026',
		'sort --key=2,2 --parallel=4 tides-of-the-year-2026.csv',
		'DB_PASSWORD=$PORT_PASSWORD PGPASSWORD=<password> MYSQL_PWD=*** make',
		'PORT_PASSWORD=process.env.PORT_PASSWORD, PORT_PASSWORD=readPassword("port")',
		'The variable PORT_PASSWORD is not set; password=str in the call.',
	])('ordinary text and placeholders stay: %s', (text) => expect(maskSecrets(text)).toBe(text));

	it.each([
		['PGPASSWORD=gull7 psql -c "select 1"', 'PGPASSWORD=… (password) psql -c "select 1"'],
		["export PORT_PASSWORD='gull7 '", "export PORT_PASSWORD='… (password) '"],
		['docker run -e MYSQL_ROOT_PASSWORD=gull7 db', 'docker run -e MYSQL_ROOT_PASSWORD=… (password) db'],
		['PGHOST=port\nPGPASSWORD=gull7\nPGUSER=gull', 'PGHOST=port\nPGPASSWORD=… (password)\nPGUSER=gull'],
	])('the value of a password is left out in %j', (text, masked) => {
		expect(maskSecrets(text)).toBe(masked);
		expect(maskSecrets(masked)).toBe(masked);
	});

	const webToken = `eyJ${filler}.eyJ${filler.repeat(4)}.${filler}`;

	it.each([`eyJ${filler}.eyJ${filler}`, `eyJ${filler}.eyJ${filler}.abc`])(
		'the start of a web token like %s is shortened',
		(start) => expect(maskSecrets(`KEY=${start}…`)).toBe('KEY=eyJabc… (key)…'),
	);

	it.each(['Bearer', 'bearer'])('a token after %s is shortened, but no variable or placeholder', (word) => {
		expect(maskSecrets(`-H "Authorization: ${word} 7f3a${filler}"`)).toBe(
			`-H "Authorization: ${word} 7f3aab… (key)"`,
		);
		const plain = `${word} <PORT_SECRET_2026_OF_THE_HARBOUR>, ${word} $PORT_SECRET_2026_OF_THE_HARBOUR or ${word} authentication, ${word} process.env.HARBOUR_TOKEN_V2`;
		expect(maskSecrets(plain)).toBe(plain);
	});

	it.each([webToken, `sk-ant-api03-${filler.repeat(3)}`])(
		'a line that is too long contains no part of %s',
		(key) => {
			for (let before = 0; before < 40; before++) {
				const line = `${'harbour '.repeat(before % 20)}KEY="${key}"${' tide'.repeat(before)}`;
				for (const cut of [truncateLine(line), truncateWithMark(line, 60), quoteLine(`${line} `.repeat(20))])
					expect(cut).not.toContain(key.slice(0, 16));
			}
		},
	);

	it('do not appear in a summary if the end of their line is cut off, as in a call or in a long sentence', () => {
		const open = call('exec_command', { cmd: 'grep PORT_KEY .env.local', workdir: '/w' });
		const texts = [
			summaryOf([
				user(1, 'Which key does the bridge use?'),
				assistant(2, '', open),
				result(3, open, `PORT_KEY="${webToken}"`),
				assistant(4, 'It uses the key of the port.'),
			]),
			summaryOf([
				user(1, 'Which key does the bridge use?'),
				assistant(2, `It uses ${'port,'.repeat(30)}${webToken}${'port'.repeat(30)} because it is set.`),
			]),
		];
		for (const text of texts) {
			expect(text).not.toContain(filler.slice(8));
			expect(text).toContain('eyJabc… (key)');
		}
	});

	it.each([
		'sk-learn',
		'sk-folding-cube-loading-indicator.css',
		'sk-payments-provider-integration-v2',
		'task-manager-with-a-very-long-name-indeed',
		'AKIA',
		filler,
		'7c41e9b',
	])('%s is no key', (text) => expect(maskSecrets(text)).toBe(text));

	it('do not appear in a summary', () => {
		const read = call('Read', { file_path: '/w/.env' });
		const key = `sk-ant-api03-${filler}`;
		const text = summaryOf([
			user(1, 'Why does the bridge not answer?'),
			assistant(2, '', read),
			result(3, read, `BRIDGE_KEY=${key}\nBRIDGE_URL=https://bridge.example`),
			assistant(4, `The key is \`${key}\`, which is right.`),
		]);
		expect(text).not.toContain(key);
		expect(text).toContain('sk-ant… (key)');
	});
});
