/** The shop that Claude Code works on in the tour: its files, long enough to fill a window when they are read again. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const countries = [
	...[
		'Austria:20',
		'Belgium:21',
		'Bulgaria:20',
		'Croatia:25',
		'Cyprus:19',
		'Czechia:21',
		'Denmark:25',
		'Estonia:22',
	],
	...[
		'Finland:25',
		'France:20',
		'Germany:19',
		'Greece:24',
		'Hungary:27',
		'Ireland:23',
		'Italy:22',
		'Latvia:21',
	],
	...[
		'Lithuania:21',
		'Luxembourg:17',
		'Malta:18',
		'Netherlands:21',
		'Poland:23',
		'Portugal:23',
		'Romania:19',
	],
	...['Slovakia:23', 'Slovenia:22', 'Spain:21', 'Sweden:25'],
].map((entry) => {
	const [name = '', rate = ''] = entry.split(':');
	return { name, rate: Number(rate) };
});

const carriers = ['post', 'courier', 'pickup', 'locker', 'freight', 'bike'];

function vatRule({ name, rate }: { name: string; rate: number }): string {
	return `
/** VAT of an order that is delivered to ${name}: ${rate}%, ${Math.max(5, rate - 12)}% for books and food. */
export function vatOf${name}(order: Order): Money {
	const reduced = order.lines.filter(({ category }) => category === 'books' || category === 'food');
	const standard = order.lines.filter((line) => !reduced.includes(line));
	return add(percentOf(sumOf(reduced), ${Math.max(5, rate - 12)}), percentOf(sumOf(standard), ${rate}));
}
`;
}

function shippingRule(carrier: string, index: number): string {
	return `
/** Price of sending an order by ${carrier}: ${3 + index} euros, and by weight above ${5 + index * 2} kilograms. */
export function ${carrier}Shipping(order: Order): Money {
	const kilograms = order.lines.reduce((sum, line) => sum + line.quantity * line.kilograms, 0);
	const extra = Math.max(0, kilograms - ${5 + index * 2});
	return money(${300 + index * 100} + Math.ceil(extra) * ${80 + index * 15}, order.currency);
}
`;
}

function checkoutTest({ name, rate }: { name: string; rate: number }): string {
	return `
describe('an order to ${name}', () => {
	it('has ${rate}% VAT on clothes', () => {
		const order = orderTo('${name}', [{ category: 'clothes', cents: 10_000 }]);
		expect(totalOf(order).vat).toEqual(money(${rate * 100}, 'EUR'));
	});

	it('has no VAT if a company of another country buys', () => {
		const order = orderTo('${name}', [{ category: 'clothes', cents: 10_000 }], { vatNumber: 'DE129273398' });
		expect(totalOf(order).vat).toEqual(money(0, 'EUR'));
	});
});
`;
}

const checkout = `import { add, type Money, money, percentOf, sumOf } from '../money.ts';
import type { Order, Total } from './order.ts';
${countries.map(vatRule).join('')}${carriers.map(shippingRule).join('')}
/** The total of an order with VAT and shipping. */
export function totalOf(order: Order): Total {
	const vat = vatRules[order.deliverTo.country](order);
	const shipping = shippingRules[order.carrier](order);
	return { goods: sumOf(order.lines), vat, shipping, total: add(sumOf(order.lines), vat, shipping) };
}
`;

/** Contents of the project's files by their paths in the workspace. */
export const projectFiles: Record<string, string> = {
	'src/orders/checkout.ts': checkout,
	'src/orders/order.ts': `import type { Money } from '../money.ts';

export interface OrderLine {
	sku: string;
	category: 'books' | 'food' | 'clothes' | 'toys';
	quantity: number;
	kilograms: number;
	price: Money;
}

export interface Order {
	id: string;
	currency: 'EUR';
	carrier: '${carriers.join("' | '")}';
	lines: OrderLine[];
	deliverTo: { name: string; street: string; city: string; country: string };
	vatNumber?: string;
}
`,
	'src/money.ts': `/** An amount in cents. */
export interface Money {
	cents: number;
	currency: 'EUR';
}

export function money(cents: number, currency: 'EUR'): Money {
	return { cents, currency };
}
`,
	'src/api/routes.ts': `${[
		'orders',
		'baskets',
		'customers',
		'invoices',
		'refunds',
		'vouchers',
		'products',
		'carriers',
	]
		.map(
			(name) => `
router.get('/${name}/:id', async (request, response) => {
	const found = await store.${name}.find(request.params.id);
	if (!found) return response.status(404).json({ error: 'no such entry in ${name}' });
	return response.json(found);
});
`,
		)
		.join('')}`,
	'test/checkout.test.ts': `import { describe, expect, it } from 'vitest';
${countries.map(checkoutTest).join('')}`,
	'package.json': '{\n\t"name": "shop",\n\t"scripts": { "test": "vitest run" }\n}\n',
	'README.md': '# Shop\n\nOrders, VAT and shipping of a small shop.\n',
};

/** Puts the project into a folder. */
export function writeProject(folder: string): void {
	for (const [name, content] of Object.entries(projectFiles)) {
		mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
		writeFileSync(path.join(folder, name), content);
	}
}
