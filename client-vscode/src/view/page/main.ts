/** The script of the Context Usage view. */

import { setBundle, t } from '../../text/language.ts';
import { announcementOf, focusAfter } from '../focus.ts';
import type { FromView, ToView } from '../messages.ts';
import type { ViewModel } from '../model.ts';
import { stackedBar } from './bar.ts';
import { usageChart } from './chart.ts';
import { button, element, section, timeText } from './elements.ts';
import { compactionList, fileList, largestList } from './lists.ts';

declare function acquireVsCodeApi(): {
	postMessage(message: FromView): void;
	setState(state: object): void;
};

const host = acquireVsCodeApi();
const post = (message: FromView): void => host.postMessage(message);

function actions({ actions: offered }: ViewModel): HTMLElement {
	return element(
		'p',
		{ class: 'actions' },
		...offered.map(({ command, text }) =>
			button({ text, label: text, key: `command ${command}` }, () => post({ type: 'command', command })),
		),
	);
}

function page(model: ViewModel): Node[] {
	const chart = usageChart(model.chart, post);
	const figures = [model.used, t('{0} at {1}', model.source, timeText(model.at)), model.headroom];
	return [
		element('h1', { class: model.state }, model.title),
		element('p', {}, figures.join(' · ')),
		element('p', { class: 'quiet' }, model.about),
		actions(model),
		section('category', t('By category'), stackedBar(model.categories)),
		...(chart ? [section('turns', t('By turn'), chart)] : []),
		section('largest', t('Largest messages'), largestList(model, post)),
		section('files', t('Files read'), fileList(model, post)),
		section('compactions', t('Compactions'), compactionList(model, post)),
	];
}

function keyed(view: Element): HTMLElement[] {
	return [...view.querySelectorAll<HTMLElement>('[data-key]')];
}

function keyOf(one: Element | null): string | null {
	return one?.getAttribute('data-key') ?? null;
}

function openLists(view: Element): (string | null)[] {
	return [...view.querySelectorAll('li[data-item]:has(details[open])')].map((item) =>
		item.getAttribute('data-item'),
	);
}

/** Draws the page again; keeps the focus, and lists that were open. */
function show(nodes: readonly Node[]): void {
	const view = document.getElementById('view');
	if (!view) return;
	const before = keyed(view).flatMap((one) => keyOf(one) ?? []);
	const focused = view.contains(document.activeElement) ? keyOf(document.activeElement) : waiting;
	const opened = openLists(view);
	view.replaceChildren(...nodes);
	for (const item of view.querySelectorAll('li[data-item]')) {
		if (opened.includes(item.getAttribute('data-item')))
			item.querySelector('details')?.setAttribute('open', '');
	}
	const now = keyed(view);
	const key = focusAfter(
		before,
		focused,
		now.flatMap((one) => keyOf(one) ?? []),
	);
	waiting = key;
	if (document.hasFocus()) giveFocus();
}

/**
 * Key of the element that gets the focus once the view has it: the view does not take the focus from other parts of
 * the window.
 */
let waiting: string | null = null;

function giveFocus(): void {
	const one = waiting === null ? undefined : keyed(document.body).find((each) => keyOf(each) === waiting);
	waiting = null;
	one?.focus({ preventScroll: true });
}

window.addEventListener('focus', giveFocus);

let announced = '';

/** Announces a text to screen readers, unless `kind` was the last one announced. */
function announce(kind: string, text: string): void {
	const status = document.getElementById('status');
	if (!status || announced === kind) return;
	announced = kind;
	status.textContent = text;
}

window.addEventListener('message', ({ data }: MessageEvent<ToView>) => {
	if (data.type === 'speak') setBundle(data.translations);
	else if (data.type === 'show') {
		show(page(data.model));
		announce(announcementOf(data.model.percent, data.model.state), t('Context {0} full', data.model.percent));
	} else {
		show([element('p', {}, data.why)]);
		announce(data.why, data.why);
	}
});

// A tab without a state is not restored when the window is reloaded.
host.setState({});
post({ type: 'ready' });
