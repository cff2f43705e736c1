import { describe, expect, it } from 'vitest';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

describe('task lists in a summary', () => {
	it('a summary shows the newest task list, with open tasks one per line and done ones in one line', () => {
		const first = call('TodoWrite', {
			todos: [
				{ content: 'write the parser', status: 'in_progress' },
				{ content: 'test the parser', status: 'pending' },
				{ content: 'an idea that was dropped', status: 'pending' },
			],
		});
		const newest = call('TodoWrite', {
			todos: [
				{ content: 'write the parser', status: 'completed' },
				{ content: 'test the parser', status: 'in_progress' },
				{ content: 'document the parser', status: 'pending' },
			],
		});
		const plan = sectionIn(
			summaryOf([user(1, 'Go.'), assistant(2, '', first), assistant(3, '', newest), user(4, 'And?')]),
			'plan',
		);
		expect(plan).toBe(
			'- (in progress) test the parser\n- document the parser\n- (kept with the tool TodoWrite, changed last in #3)\n- done, 1 of 3: write the parser',
		);
	});

	it('a plan that the agent no longer keeps begins with its age, and names no item as in progress', () => {
		const plan = call('update_plan', { plan: [{ step: 'Dredge the pier', status: 'in_progress' }] });
		const edit = call('Edit', { file_path: 'src/tides.ts', old_string: 'one', new_string: 'two' });
		const later = [user(6, 'Sort the tides.'), assistant(7, 'Sorted.'), user(8, 'Now name them.')];
		const text = summaryOf([user(1, 'Go.'), ...done(2, [plan], [edit]), ...later]);
		expect(sectionIn(text, 'plan')).toBe(
			'- (kept with the tool update_plan, changed last in #2, before the last edit and 2 messages of the user)\n- (then in progress) Dredge the pier',
		);
	});

	it('a summary counts the open items that it leaves out, and names the number of a task once', () => {
		const todos = Array.from({ length: 40 }, (_, index) => ({
			content: `measure the tide at pier ${index} before the boat leaves`,
			status: 'pending',
		}));
		const plan = sectionIn(
			summaryOf([user(1, 'Go.'), assistant(2, '', call('TodoWrite', { todos }))], 900),
			'plan',
		);
		const shown = plan.split('\n').filter((line) => line.startsWith('- measure')).length;
		expect(shown).toBeGreaterThan(1);
		expect(plan).toContain(`\n- … and ${40 - shown} more open`);
	});

	it.each(['completed', 'deleted'])(
		'an item does not wait for items that were %s after the listing',
		(status) => {
			const list = call('TaskList', {});
			const listed =
				'#1 [in_progress] write the parser\n#2 [pending] test it [blocked by #1]\n#3 [pending] document it [blocked by #1, #2]';
			const plan = sectionIn(
				summaryOf([
					user(1, 'Go.'),
					assistant(2, '', list),
					result(3, list, listed),
					assistant(4, '', call('TaskUpdate', { taskId: '1', status })),
					user(5, 'And?'),
				]),
				'plan',
			);
			expect(plan).toMatch(/test it\n/);
			expect(plan).toContain('document it [blocked by #2]');
		},
	);

	it('a list of the tasks states which are done, also those that other agents finished', () => {
		const create = call('TaskCreate', { subject: 'write the parser' });
		const list = call('TaskList', {});
		const update = call('TaskUpdate', { taskId: '3', status: 'in_progress' });
		const late = call('TaskUpdate', { taskId: '7', subject: 'free the pier', status: 'pending' });
		const plan = sectionIn(
			summaryOf([
				user(1, 'Go.'),
				assistant(2, '', create),
				result(3, create, 'Task #1 created successfully: write the parser'),
				assistant(4, '', list),
				result(
					5,
					list,
					'#3 [pending] document the parser\n#1 [completed] write the parser\n#2 [completed] test it',
				),
				assistant(6, '', update),
				assistant(7, '', late),
				user(8, 'And?'),
			]),
			'plan',
		);
		expect(plan.split('\n')).toEqual([
			'- (in progress) task 3: document the parser',
			'- task 7: free the pier',
			'- (kept with the tool TaskUpdate, changed last in #7)',
			'- done, 2 of 4: write the parser; test it',
		]);
	});

	it('a new description of a task does not replace its title', () => {
		const create = call('TaskCreate', { subject: 'write the parser' });
		const update = call('TaskUpdate', {
			taskId: '1',
			description: 'It reads two tables.',
			status: 'in_progress',
		});
		const sources = [
			user(1, 'Go.'),
			assistant(2, '', create),
			result(3, create, 'Task #1 created successfully: write the parser'),
			assistant(4, '', update),
		];
		expect(sectionIn(summaryOf([...sources, user(5, 'And?')]), 'plan')).toContain('task 1: write the parser');
	});

	it('the active item of the plan is named only if the plan changed in the newest messages', () => {
		const plan = call('TodoWrite', { todos: [{ content: 'close the door', status: 'in_progress' }] });
		const summaryAfter = (count: number): string =>
			summaryOf([
				user(1, 'Go.'),
				assistant(2, '', plan),
				...Array.from({ length: count }, (_, index) =>
					assistant(3 + index, '', call('Bash', { command: `./door --part ${index}` })),
				),
			]);
		expect(summaryAfter(4)).toMatch(/^In progress in the plan: close the door$/m);
		expect(summaryAfter(30)).not.toMatch(/^In progress in the plan:/m);
		expect(summaryAfter(30)).toContain('(in progress) close the door');
	});

	it('the active item of the plan is not named after the report of the agent', () => {
		const plan = call('TodoWrite', { todos: [{ content: 'close the door', status: 'in_progress' }] });
		const text = summaryOf([user(1, 'Go.'), assistant(2, '', plan), assistant(3, 'The door is closed.')]);
		expect(text).not.toMatch(/^In progress in the plan:/m);
	});

	it('a summary reads the steps of an update_plan call', () => {
		const plan = call('update_plan', {
			plan: [
				{ step: 'find the leak', status: 'completed' },
				{ step: 'close the leak', status: 'in_progress' },
			],
		});
		expect(sectionIn(summaryOf([user(1, 'Go.'), assistant(2, '', plan)]), 'plan')).toBe(
			'- (in progress) close the leak\n- (kept with the tool update_plan, changed last in #2)\n- done, 1 of 2: find the leak',
		);
	});

	it('a summary follows tasks that are created and updated separately', () => {
		const one = call('TaskCreate', { subject: 'Measure the import' });
		const two = call('TaskCreate', { subject: 'Write the report' });
		const three = call('TaskCreate', { subject: 'Ask the customer' });
		const plan = sectionIn(
			summaryOf([
				user(1, 'Go.'),
				assistant(2, '', one, two, three),
				result(3, one, 'Task #1 created successfully: Measure the import'),
				result(4, two, 'Task #2 created successfully: Write the report'),
				result(5, three, 'Task #3 created successfully: Ask the customer'),
				assistant(6, '', call('TaskUpdate', { taskId: '1', status: 'completed' })),
				assistant(7, '', call('TaskUpdate', { taskId: '2', status: 'in_progress' })),
				assistant(8, '', call('TaskUpdate', { taskId: '3', status: 'deleted' })),
			]),
			'plan',
		);
		expect(plan).toBe(
			'- (in progress) task 2: Write the report\n- (kept with the tool TaskUpdate, changed last in #8)\n- done, 1 of 2: Measure the import',
		);
	});

	it('a summary names open tasks by the ids of the tool, wherever they begin', () => {
		const one = call('TaskCreate', { subject: 'Measure the import' });
		const two = call('TaskCreate', { subject: 'Write the report' });
		const plan = sectionIn(
			summaryOf([
				user(1, 'Go.'),
				assistant(2, '', one),
				result(3, one, 'Task #2 created successfully: Measure the import'),
				assistant(4, '', two),
				result(5, two, 'Task #3 created successfully: Write the report'),
				assistant(6, '', call('TaskUpdate', { taskId: '2', status: 'in_progress' })),
			]),
			'plan',
		);
		expect(plan).toBe(
			'- (in progress) task 2: Measure the import\n- task 3: Write the report\n- (kept with the tool TaskUpdate, changed last in #6)',
		);
	});

	it('a summary takes the id of a task only from the note that it was created', () => {
		const one = call('TaskCreate', { subject: 'Close issue #7' });
		const bulk = call('mcp__tracker__edit', { issues: [{ title: 'Retry', status: 'open' }] });
		const created = summaryOf([
			user(1, 'Go.'),
			assistant(2, '', one),
			result(3, one, '{"ok":true,"title":"Close issue #7","task":"t_3"}'),
		]);
		expect(sectionIn(created, 'plan')).toBe(
			'- Close issue #7\n- (kept with the tool TaskCreate, changed last in #2)',
		);
		const edited = summaryOf([user(1, 'Go.'), assistant(2, '', bulk), result(3, bulk, 'ok')]);
		expect(sectionIn(edited, 'plan')).toBe('- Retry');
	});

	it('a summary keeps the task list although many messages followed', () => {
		const todo = call('TodoWrite', { todos: [{ content: 'close the door', status: 'pending' }] });
		const later = Array.from({ length: 30 }, (_, index) =>
			assistant(3 + index, `Something else, part ${index}.`),
		);
		expect(sectionIn(summaryOf([user(1, 'Go.'), assistant(2, '', todo), ...later], 300), 'plan')).toBe(
			'- close the door\n- (kept with the tool TodoWrite, changed last in #2)',
		);
	});

	it('a summary does not repeat the plan in the words of its tool', () => {
		const one = call('TaskCreate', { subject: 'Measure the import' });
		const text = summaryOf([
			user(1, 'Go.'),
			assistant(2, '', one),
			result(3, one, 'Task #1 created successfully: Measure the import'),
		]);
		expect(text.match(/Measure the import/g)).toHaveLength(1);
	});

	it('a summary names the task that a tracker of an MCP server created', () => {
		const one = call('mcp__asana__create_task', { name: 'Measure the import' });
		const text = summaryOf([
			user(1, 'Go.'),
			assistant(2, '', one),
			result(3, one, 'Created https://tasks.example.com/0/4711 in the project Shop.'),
		]);
		expect(text).toContain('https://tasks.example.com/0/4711');
	});

	const plan = (todos: unknown) => call('TodoWrite', { todos });
	const open = { content: 'open the door', status: 'pending' };

	it('a cancelled item is neither open nor done', () => {
		const all = plan([open, { content: 'paint the door', status: 'cancelled' }]);
		const text = summaryOf([user(1, 'Go.'), assistant(2, '', all), result(3, all, 'ok')]);
		expect(sectionIn(text, 'plan')).toContain('- open the door');
		expect(text).not.toContain('paint the door');
	});

	it('an emptied plan has no items', () => {
		const [all, none] = [plan([open]), plan([])];
		const text = summaryOf([
			user(1, 'Go.'),
			assistant(2, '', all),
			result(3, all, 'ok'),
			assistant(4, 'The door is open.', none),
			result(5, none, 'ok'),
		]);
		expect(sectionIn(text, 'plan')).toBe('');
	});
});
