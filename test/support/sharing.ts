/** Several clients of one daemon, over streams in memory. */

import { afterEach } from 'vitest';
import type { Services, ServicesOptions } from '../../server/wiring/services.ts';
import { type App, type AppSetup, removeFolders, startTestApp, testServices } from './app.ts';

/**
 * Connects clients to shared services, which are new for each test. Call it at the top of a file. All end with the test.
 * @param options of the services
 */
export function connectingClients(options: Partial<ServicesOptions> = {}): {
	connect(setup?: Omit<AppSetup, 'services'>): Promise<App>;
	services(): Services;
} {
	let services: Services | undefined;
	const clients: App[] = [];
	const current = (): Services => {
		services ??= testServices(options);
		return services;
	};
	afterEach(async () => {
		await Promise.all(clients.splice(0).map((client) => client.stop()));
		await services?.close();
		services = undefined;
		await removeFolders();
	});
	return {
		services: current,
		async connect(setup = {}) {
			const client = await startTestApp({ ...setup, services: current() });
			clients.push(client);
			return client;
		},
	};
}

/** Returns the params of `initialize` of a client that wants notifications, with these settings. */
export function notified(initializationOptions: Record<string, unknown> = {}, offers = {}) {
	return {
		initialize: {
			capabilities: { experimental: { contextd: { notifications: true, ...offers } } },
			initializationOptions: { estimator: 'heuristic', ...initializationOptions },
		},
	};
}
