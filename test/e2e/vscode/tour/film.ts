/** A film of the workbench: screenshots with durations, and a drawn pointer, because screenshots show none. */

import type { Locator, Page } from '../browser.ts';

/** A screenshot that is shown for some milliseconds. */
export interface Frame {
	png: Buffer;
	ms: number;
}

/** The members of a page's element that are used here. */
interface PageElement {
	id: string;
	style: { cssText: string; transform: string };
	setAttribute(name: string, value: string): void;
	append(child: PageElement): void;
}

/** The members of the page's document that are used here. */
declare const document: {
	body: PageElement;
	createElementNS(namespace: string, name: string): PageElement;
	getElementById(id: string): PageElement | null;
};

const stepsOfMove = 6;
const msOfStep = 40;

/** Draws an arrow over the page; runs in the page. */
function drawPointer(): void {
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	svg.id = 'film-pointer';
	svg.setAttribute('viewBox', '0 0 16 24');
	svg.style.cssText =
		'position:fixed;left:0;top:0;width:16px;height:24px;z-index:1000000;pointer-events:none;filter:drop-shadow(0 1px 2px #0008)';
	const arrow = document.createElementNS('http://www.w3.org/2000/svg', 'path');
	arrow.setAttribute('d', 'M1 1v18l4.5-4 3 7 3-1.3-3-6.7H15z');
	arrow.setAttribute('fill', '#fff');
	arrow.setAttribute('stroke', '#222');
	svg.append(arrow);
	document.body.append(svg);
}

/** Moves the arrow; runs in the page. */
function placePointer({ x, y }: { x: number; y: number }): void {
	const pointer = document.getElementById('film-pointer');
	if (pointer) pointer.style.transform = `translate(${x}px, ${y}px)`;
}

/** Acts on a page, and takes screenshots if it is recording. */
export class Film {
	readonly frames: Frame[] = [];
	readonly #page: Page;
	readonly #isRecording: boolean;
	#pointer = { x: 640, y: 420 };

	constructor(page: Page, isRecording: boolean) {
		this.#page = page;
		this.#isRecording = isRecording;
	}

	/** Shows the pointer. Call it once the workbench is drawn. */
	async begin(): Promise<void> {
		if (!this.#isRecording) return;
		await this.#page.evaluate(drawPointer, null);
		await this.#page.evaluate(placePointer, this.#pointer);
	}

	/** Adds a screenshot of the page to the film, shown for some milliseconds. */
	async hold(ms: number): Promise<void> {
		if (!this.#isRecording) return;
		const png = await this.#page.screenshot({});
		const last = this.frames.at(-1);
		if (last?.png.equals(png)) last.ms += ms;
		else this.frames.push({ png, ms });
	}

	/** Moves the pointer to the middle of something and clicks it. */
	async click(target: Locator): Promise<void> {
		await this.moveTo(target);
		await target.click();
	}

	/** Moves the pointer to the middle of something. */
	async moveTo(target: Locator): Promise<void> {
		await target.waitFor();
		await target.scrollIntoViewIfNeeded();
		if (this.#isRecording) await this.#glide(target);
		await target.hover();
	}

	async #glide(target: Locator): Promise<void> {
		const box = await target.boundingBox();
		if (!box) throw new Error('the target of the pointer is not visible');
		const from = this.#pointer;
		const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
		for (let step = 1; step <= stepsOfMove; step++) {
			const share = 1 - (1 - step / stepsOfMove) ** 2;
			this.#pointer = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
			await this.#page.evaluate(placePointer, this.#pointer);
			await this.hold(msOfStep);
		}
	}
}
