import { describe, expect, it } from 'vitest';
import { findServiceStart } from '../../../server/core/analysis/shell/serviceStarts.ts';
import { assistant, call, done, user } from './facts-sources.ts';
import { headOf } from './summaries.ts';

const bash = (command: string) => call('Bash', { command });
const edit = call('Edit', { file_path: 'src/tides.ts', old_string: 'one', new_string: 'two' });
const ask = user(1, 'Show the tides in the port.');
const end = assistant(20, 'The port shows the tides.');

describe('services that the agent started', () => {
	it.each([
		['cd /srv/pier && pm2 restart tides', 'pm2 restart tides'],
		['sudo systemctl --user restart pier.service', 'systemctl --user restart pier.service'],
		['service nginx reload', 'service nginx reload'],
		[
			'docker compose -f docker/pier.yml --env-file .env up -d',
			'docker compose -f docker/pier.yml --env-file .env up -d',
		],
		['npm run build; docker-compose restart', 'docker-compose restart'],
		['npx wrangler deploy 2>&1 | tail -3', 'wrangler deploy'],
		['kubectl rollout restart deployment/pier', 'kubectl rollout restart deployment/pier'],
	])('are known from commands such as %s', (command, start) => expect(findServiceStart(command)).toBe(start));

	it.each([
		'pm2 logs tides',
		'systemctl status pier',
		'docker compose ps',
		'docker compose build',
		'vercel env ls',
	])('do not include what only shows or builds one: %s', (command) =>
		expect(findServiceStart(command)).toBeUndefined(),
	);

	it('are in the state with what happened after the newest one', () => {
		const first = bash('pm2 restart pier');
		const newest = bash('cd /srv && pm2 restart tides');
		expect(headOf(ask, ...done(2, [edit], [first], [newest]), end).join('\n')).toMatch(
			/; last started: pm2 restart pier \(#5\), pm2 restart tides \(#7\)(?:;|$)/m,
		);
		expect(headOf(ask, ...done(2, [newest], [edit]), end).join('\n')).toMatch(
			/; last started: pm2 restart tides \(#3, before later changes\)(?:;|$)/m,
		);
	});

	it('are not in the state if the start failed', () => {
		const failed = [
			bash('pm2 restart tides'),
			'Exit code 1\n[PM2][ERROR] Process tides not found',
			true,
		] as const;
		expect(headOf(ask, ...done(2, [edit], [...failed]), end).join('\n')).not.toContain('last started');
	});
});
