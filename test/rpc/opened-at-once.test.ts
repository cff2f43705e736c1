import { expect, it } from 'vitest';
import { sessionList, sessionOpen } from '../../server/protocol/session.ts';
import { freshFolder } from '../support/app.ts';
import { connectingClients } from '../support/sharing.ts';
import { soakFactor } from '../support/soak.ts';

const { connect } = connectingClients();

it(
	'a session is created once when many clients open the same new id at once',
	async () => {
		const home = freshFolder();
		const clients = [];
		for (let index = 0; index < 4; index++) clients.push(await connect({ home }));
		const rounds = 5 * soakFactor;
		for (let round = 0; round < rounds; round++) {
			const sessionId = `new-${round}`;
			const opened = await Promise.all(clients.map((client) => client.ask(sessionOpen, { sessionId })));
			expect(opened.filter(({ created }) => created)).toHaveLength(1);
			expect(opened.every(({ messageCount }) => messageCount === 0)).toBe(true);
		}
		expect((await clients[0]!.ask(sessionList, {})).sessions).toHaveLength(rounds);
	},
	120_000 * soakFactor,
);
