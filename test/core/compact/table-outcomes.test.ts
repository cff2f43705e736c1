import { describe, expect, it } from 'vitest';
import { judgeCall } from '../../../server/core/analysis/calls/callEnd.ts';
import { call, result } from './facts-sources.ts';

/** Lines before a table, which make the output too long to be shown whole. */
const log = 'The cluster was reached by its second address, and the cache was warm.\n'.repeat(12);

const formats: [tool: string, args: (command: string) => unknown, wrap: (output: string) => string][] = [
	['Bash', (command) => ({ command }), (output) => output],
	[
		'exec_command',
		(cmd) => ({ cmd }),
		(output) => `Chunk ID: 1\nProcess exited with code 0\nOutput:\n${output}\n`,
	],
	['run_shell_command', (command) => ({ command }), (output) => `Output: ${output}\nExit Code: 0\n`],
];

const pods = `NAME                     READY   STATUS             RESTARTS      AGE
shop-7d9c5b8f6d-2xkzq    1/1     Running            0             3d
mail-5f6c9d7b8-9qwer     0/1     CrashLoopBackOff   2 (5m ago)    12m
cart-6b7d8c9f5-abcde     1/1     Running            0             3d`;
const containers = `CONTAINER ID   IMAGE          COMMAND                  CREATED       STATUS       PORTS      NAMES
1f2e3d4c5b6a   postgres:16    "docker-entrypoint.s…"   2 hours ago   Up 2 hours   5432/tcp   shop-db-1
2f2e3d4c5b6a   redis:7        "docker-entrypoint.s…"   2 hours ago   Up 2 hours              shop-cache-1
3f2e3d4c5b6a   shop:latest    "node server.js"         2 hours ago   Up 2 hours   80/tcp     shop-web-1`;
const processes = `USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root           1  0.0  0.1 168140 11432 ?        Ss   Nov26   0:04 /sbin/init
node         812 12.4  3.2 987654 65432 ?        Sl   16:02   1:40 node server.js --port 80
postgres   11234  0.3  1.0 223344 20480 ?        Ss   16:02   0:09 postgres: checkpointer`;
const files = `total 24
-rw-r--r-- 1 node node  812 Nov 27 10:32 boats.sql
-rw-r--r-- 1 node node 9812 Nov 27 10:32 crew.sql
drwxr-xr-x 2 node node 4096 Nov 27 10:32 seeds`;
const rows = `+----+--------+-------+
| id | name   | berth |
+----+--------+-------+
|  1 | Amalia | 12    |
|  2 | Bo     | 7     |
+----+--------+-------+`;

describe.each(formats)('tables as the output of %s', (tool, create, wrap) => {
	const judge = (command: string, output: string): string => {
		const made = call(tool, create(command));
		return judgeCall(made, result(2, made, wrap(`${log}${output}`))).message;
	};

	it.each([
		['kubectl get pods', pods],
		['docker ps', containers],
		['ps aux', processes],
		['ssh shop ls -l dumps', files],
		['mysql shop -t < boats.sql', rows],
		['gh run list', '✓\tbuild\tmain\t31s\n✓\tlint\tmain\t12s\n✗\ttest\tmain\t2m'],
		['./search boats', '- Title: Amalia\n- Score: 83\n----\n- Title: Bo\n- Score: 68\n'],
		['psql shop -c boats', ' 名前 | 桟橋 | 長さ\n 海 | 12 | 9.1\n 波浪丸 | 7 | 11.25'],
		[
			'ferryctl --info',
			'Quay:\n  Version: 3.1\n\nSettings file:\n  Not found\n\nLearn more:\n  https://ferry.example/info',
		],
		['ferryctl doctor', '[x] Engine\n\nCompass:\n    - needle 4.2\n    - error margin unknown'],
		['ldd ./ferry', '\tlibtide.so.2 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f00)'],
		['printenv', 'FERRY=Amalia\nQUAY_ERROR=none'],
	])('have no outcome: %s', (command, table) => {
		expect(judge(command, table)).toBe('');
	});

	it.each([
		['a line after the table', 'kubectl apply', `${pods}\n3 pods are ready.`, '3 pods are ready.'],
		[
			'a row of totals',
			'./count',
			'a.ts     12    3\nb.ts    120   30\nTotal   132   33',
			'Total   132   33',
		],
		['a list of results', './measure', '- Boats: 12\n- Crew: 40', '- Crew: 40'],
		['two rows', './list', 'The boats are:\na.ts     12    3\nb.ts    120   30', 'b.ts    120   30'],
		[
			'the totals of changed files',
			'git diff main..HEAD --stat',
			' go.sum                                             |  6 +-\n mise.toml                                          | 11 ----\n 11 files changed, 70 insertions(+), 148 deletions(-)',
			'11 files changed, 70 insertions(+), 148 deletions(-)',
		],
		[
			'a sentence below two rows with wide columns',
			'./deploy',
			'web                                   ready\ndb                                    ready\nBoth of the two servers are now up to date and ready.',
			'Both of the two servers are now up to date and ready.',
		],
		[
			'a log with a level',
			'./serve',
			'INFO  db      connected\nINFO  cache   connected\nINFO  server  listens on 8080',
			'INFO  server  listens on 8080',
		],
		[
			'a log with times',
			'./serve',
			'16:02:01  db      ready  1\n16:02:02  cache   ready  1\n16:02:03  server  ready  on 8080',
			'16:02:03  server  ready  on 8080',
		],
		[
			'a log of containers',
			'docker compose logs',
			'db-1     | the port is open\ncache-1  | it is warm\nweb-1    | it listens on 8080',
			'web-1    | it listens on 8080',
		],
		[
			'sentences',
			'./import',
			'It reads the rows now.\nIt saves the rows now.\nIt drops the rows now.',
			'It drops the rows now.',
		],
		[
			'the only row of a query by psql',
			'psql shop -f boats.sql',
			' name   | berth\n--------+-------\n Amalia |    12\n(1 row)\n',
			'Amalia |    12',
		],
		[
			'the only row of a query by mysql',
			'mysql -t shop < boats.sql',
			'+--------+-------+\n| name   | berth |\n+--------+-------+\n| Amalia |    12 |\n+--------+-------+\n1 row in set (0.01 sec)',
			'| Amalia |    12 |',
		],
		[
			'the number of rows of a query',
			'psql shop -f boats.sql',
			' name   | berth\n--------+-------\n Amalia |    12\n Bo     |     7\n(2 rows)\n',
			'(2 rows)',
		],
	])('do not hide %s', (_, command, output, outcome) => {
		expect(judge(command, output)).toBe(outcome);
	});
});

describe('tables as the output of a check', () => {
	it('do not hide the last line, which may be a failure', () => {
		const made = call('Bash', { command: 'npm run lint' });
		const output = `${log}a.ts   3:1   unused   x\nb.ts   9:12  unused   y\nc.ts   4:7   unused   z`;
		expect(judgeCall(made, result(2, made, output)).message).toBe('c.ts   4:7   unused   z');
	});
});
