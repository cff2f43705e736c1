/** Creates elements of a page without HTML text, so that nothing in a message can become markup. */

type Attributes = Readonly<Record<string, string>>;
type Child = Node | string;

/** Creates an HTML element with its attributes and children. */
export function createHtml(name: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

/** Creates an SVG element with its attributes and children. */
export function createSvg(name: string, attributes: Attributes = {}, ...children: Node[]): SVGElement {
	const element = document.createElementNS('http://www.w3.org/2000/svg', name);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

export interface ButtonTexts {
	/** The text on the button. */
	text: string;
	/** Text for screen readers, different for each button of the page. */
	label: string;
	/** A unique key on the page, stable while the page is drawn again. */
	key: string;
}

/** Creates a button. */
export function createButton({ text, label, key }: ButtonTexts, act: () => void): HTMLElement {
	const button = createHtml(
		'button',
		{ type: 'button', 'data-key': key, ...(label !== text && { 'aria-label': label }) },
		text,
	);
	button.addEventListener('click', act);
	return button;
}

/** Creates a table with a caption; cells may be elements. */
export function createTable(
	caption: string,
	heads: readonly string[],
	rows: readonly Child[][],
): HTMLElement {
	const head = createHtml(
		'tr',
		{},
		...heads.map((text) => (text === '' ? createHtml('td') : createHtml('th', { scope: 'col' }, text))),
	);
	const body = rows.map((cells) => createHtml('tr', {}, ...cells.map((cell) => createHtml('td', {}, cell))));
	return createHtml(
		'table',
		{},
		createHtml('caption', { class: 'unseen' }, caption),
		createHtml('thead', {}, head),
		createHtml('tbody', {}, ...body),
	);
}

/** Creates a section of the page with a heading. */
export function createSection(id: string, title: string, ...children: Child[]): HTMLElement {
	const heading = `section-${id}`;
	return createHtml(
		'section',
		{ id, 'aria-labelledby': heading },
		createHtml('h2', { id: heading }, title),
		...children,
	);
}

/** Formats a time; adds the date unless the time is today. `at` is in milliseconds since the epoch. */
export function formatTime(at: number): string {
	const time = new Date(at);
	const language = document.documentElement.lang || undefined;
	const isToday = time.toDateString() === new Date().toDateString();
	return isToday ? time.toLocaleTimeString(language) : time.toLocaleString(language);
}
