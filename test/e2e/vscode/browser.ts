/** A headless Chromium, driven by playwright-core. */

import { createRequire } from 'node:module';
import path from 'node:path';
import { visibleMs } from './actions.ts';
import type { Home } from './home.ts';
import type { Tools } from './tools.ts';

/** The part of playwright's locators that the tests use. */
export interface Locator {
	waitFor(options?: { state?: 'visible' | 'hidden' | 'detached'; timeout?: number }): Promise<void>;
	click(options?: { timeout?: number }): Promise<void>;
	dblclick(): Promise<void>;
	hover(): Promise<void>;
	fill(text: string, options?: { timeout?: number }): Promise<void>;
	focus(): Promise<void>;
	press(key: string): Promise<void>;
	count(): Promise<number>;
	textContent(): Promise<string | null>;
	allInnerTexts(): Promise<string[]>;
	getAttribute(name: string): Promise<string | null>;
	isVisible(): Promise<boolean>;
	boundingBox(): Promise<{ x: number; y: number; width: number; height: number } | null>;
	scrollIntoViewIfNeeded(): Promise<void>;
	first(): Locator;
	nth(index: number): Locator;
	evaluateAll<Element, Result>(work: (elements: Element[]) => Result): Promise<Result>;
	last(): Locator;
	locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
}

interface FrameLocator {
	locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
	frameLocator(selector: string): FrameLocator;
}

export interface Page {
	goto(url: string, options?: { waitUntil?: 'domcontentloaded' }): Promise<unknown>;
	locator(selector: string, options?: { hasText?: string | RegExp }): Locator;
	frameLocator(selector: string): FrameLocator;
	keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
	screenshot(options: {
		path?: string;
		clip?: { x: number; y: number; width: number; height: number };
	}): Promise<Buffer>;
	/** Runs a function or an expression in the page; its argument and its result must be JSON. */
	evaluate<Given, Result>(
		work: string | ((given: Given) => Result | Promise<Result>),
		given: Given,
	): Promise<Result>;
	exposeFunction(name: string, work: (...given: never[]) => unknown): Promise<void>;
	addInitScript(script: { content: string }): Promise<void>;
	waitForTimeout(ms: number): Promise<void>;
	waitForEvent(event: 'load', options?: { timeout?: number }): Promise<unknown>;
	on(event: 'console', hear: (message: { text(): string }) => void): void;
}

export interface Browser {
	page: Page;
	/** Addresses outside this machine whose requests were refused. */
	refusedAddresses: string[];
	console: string[];
	/** Accessibility tree of the open webview. */
	accessible(): Promise<AccessiblePart[]>;
	close(): Promise<void>;
}

/** A node of a page's accessibility tree. */
export interface AccessiblePart {
	role: string;
	name: string;
}

interface FrameTree {
	frame: { id: string; url: string };
	childFrames?: FrameTree[];
}

/** A session of the browser's DevTools protocol. */
interface ProtocolSession {
	send(method: 'Page.getFrameTree'): Promise<{ frameTree: FrameTree }>;
	send(
		method: 'Accessibility.getFullAXTree',
		params: { frameId: string | undefined },
	): Promise<{ nodes: { ignored: boolean; role?: { value: string }; name?: { value?: string } }[] }>;
	detach(): Promise<void>;
}

/** Returns the ids of the inner frames of webviews, which contain the extension's pages. */
function webviewsOf({ frame, childFrames = [] }: FrameTree): string[] {
	const inner = frame.url.includes('/webview/') ? childFrames.map((child) => child.frame.id) : [];
	return [...inner, ...childFrames.flatMap(webviewsOf)];
}

interface Route {
	request(): { url(): string };
	abort(): Promise<void>;
}

interface Playwright {
	chromium: {
		launch(options: object): Promise<{
			newContext(options: object): Promise<{
				/** Sets the timeout of every action and of loading a page, in milliseconds. */
				setDefaultTimeout(ms: number): void;
				route(pattern: RegExp, handle: (route: Route) => Promise<void>): Promise<void>;
				newPage(): Promise<Page>;
				newCDPSession(page: Page): Promise<ProtocolSession>;
			}>;
			close(): Promise<void>;
		}>;
	};
}

const options = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Starts the browser with one page, which cannot reach anything outside this machine. */
export async function startBrowser(tools: Tools, home: Home): Promise<Browser> {
	const load = createRequire(path.join(tools.playwright, 'package.json'));
	const { chromium } = load('playwright-core') as Playwright;
	const browser = await chromium.launch({
		executablePath: tools.chromium,
		headless: true,
		chromiumSandbox: false,
		args: options,
		env: home.environment,
	});
	const context = await browser.newContext({
		viewport: { width: 1280, height: 800 },
		reducedMotion: 'reduce',
	});
	context.setDefaultTimeout(visibleMs);
	const refusedAddresses: string[] = [];
	await context.route(/^https?:\/\/(?!127\.0\.0\.1[:/])/, (route) => {
		refusedAddresses.push(route.request().url());
		return route.abort();
	});
	const page = await context.newPage();
	const console: string[] = [];
	page.on('console', (message) => console.push(message.text()));
	async function accessible(): Promise<AccessiblePart[]> {
		const session = await context.newCDPSession(page);
		const { frameTree } = await session.send('Page.getFrameTree');
		const [frameId] = webviewsOf(frameTree);
		if (frameId === undefined) throw new Error('no webview is open');
		const { nodes } = await session.send('Accessibility.getFullAXTree', { frameId });
		await session.detach();
		return nodes
			.filter(({ ignored }) => !ignored)
			.map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }));
	}

	return { page, refusedAddresses, console, accessible, close: () => browser.close() };
}
