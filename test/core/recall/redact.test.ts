import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redaction, redactSecrets } from '../../../server/core/recall/redact.ts';

const letters = (count: number) => 'aB3dE6gH9j'.repeat(Math.ceil(count / 10)).slice(0, count);

/** Secrets with the text around them; `S` is replaced by the secret. */
const secrets: [form: string, secret: string, around?: string][] = [
	['an AWS key', `AKIA${'ABCDEFGH12345678'}`],
	['a GitHub token', `ghp_${letters(36)}`],
	['a fine-grained GitHub token', `github_pat_${letters(40)}`],
	['a GitLab token', `glpat-${letters(20)}`],
	['a Slack token', `xoxb-1234567890-${letters(20)}`],
	['a Stripe key', `sk_live_${letters(24)}`],
	['a key of a model provider', `sk-ant-api03-${letters(40)}`],
	['a Google key', `AIza${letters(35)}`],
	['an npm token', `npm_${letters(36)}`],
	['a JSON Web Token', `eyJ${letters(20)}.eyJ${letters(30)}.${letters(20)}`],
	['a bearer token', letters(24), 'curl -H "Authorization: Bearer S" https://api.example'],
	['a password in an address', 'hunter2x', 'postgres://app:S@db.example:5432/app'],
	['a password in a settings file', 'correct-horse-7', 'db_password=S'],
	['a password in JSON', 'correct horse'.replace(' ', '_'), '{"password": "S", "user": "ada"}'],
	['a password in JSON within a string', 'correct_horse', '"{\\"password\\":\\"S\\"}"'],
	['a secret in YAML', letters(20), 'client_secret: S'],
	['a password of an option', 'hunter2x', 'mysql --password hunter2x -u root'.replace('hunter2x', 'S')],
];

describe('redactSecrets', () => {
	it.each(secrets)('replaces %s and nothing else', (_form, secret, around = 'before S after') => {
		expect(redactSecrets(around.replace('S', secret))).toBe(around.replace('S', redaction));
	});

	it('replaces a private key, also one that is cut off', () => {
		const begin = '-----BEGIN OPENSSH PRIVATE KEY-----';
		const body = `${letters(64)}\n${letters(64)}`;
		const key = `${begin}\n${body}\n-----END OPENSSH PRIVATE KEY-----`;
		expect(redactSecrets(`cat id\n${key}\ndone`)).toBe(`cat id\n${redaction}\ndone`);
		expect(redactSecrets(`cat id\n${begin}\n${body}`)).toBe(`cat id\n${redaction}`);
	});

	it.each([
		'interface User { password: string; token: Token }',
		'const token = readToken(file);',
		'password = process.env.DB_PASSWORD',
		'the token limit is 200000 tokens',
		'tokens: 128000',
		'"password": "string"',
		'export API_KEY=$SECRET',
		'-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
		'https://example.org:8080/path?at=@someone',
		'sk-learn and skip',
		'commit 9fe21ab4c0ffee0123456789abcdef0123456789',
	])('leaves %j unchanged', (text) => {
		expect(redactSecrets(text)).toBe(text);
	});

	it('leaves nothing to replace in its own result', () => {
		const part = fc.oneof(
			fc.constantFrom(...secrets.map(([, secret, around = 'S']) => around.replace('S', secret))),
			fc.string(),
			fc.constantFrom('password=', 'token: ', '"', '://a:', '@', '-----BEGIN RSA PRIVATE KEY-----'),
		);
		fc.assert(
			fc.property(fc.array(part), (parts) => {
				const once = redactSecrets(parts.join(' '));
				expect(redactSecrets(once)).toBe(once);
			}),
		);
	});
});
