/** The script of the Context Usage view. */

import type { FromView, ToView } from '../messages.ts';
import type { ViewModel } from '../model.ts';
import { stackedBar, usageChart } from './charts.ts';
import { button, element, section } from './elements.ts';
import { compactionList, fileList, largestList } from './lists.ts';

declare function acquireVsCodeApi(): { postMessage(message: FromView): void };

const host = acquireVsCodeApi();
const tell = (message: FromView): void => host.postMessage(message);

function actions({ readOnly, follows }: ViewModel): HTMLElement {
	const command = (text: string, name: 'compact' | 'preview' | 'selectSession'): HTMLElement =>
		button(text, text, () => tell({ type: 'command', command: name }));
	return element(
		'p',
		{ class: 'actions' },
		...(readOnly && follows === '' ? [] : [command('Compact Context', 'compact')]),
		command('Preview Compaction', 'preview'),
		command('Select Session', 'selectSession'),
	);
}

/** A time of today as the time, any other with its date. */
function timeText(at: number): string {
	const time = new Date(at);
	const isToday = time.toDateString() === new Date().toDateString();
	return isToday ? time.toLocaleTimeString() : time.toLocaleString();
}

function page(model: ViewModel): Node[] {
	const chart = usageChart(model);
	const about = [
		model.follows === '' ? '' : `follows ${model.follows}`,
		model.title,
		model.model,
		...(model.readOnly && model.follows === '' ? ['read-only'] : []),
	].filter((text) => text !== '');
	return [
		element('h1', { class: model.state }, `Context ${model.percent}`),
		element('p', {}, `${model.used} · ${model.source} at ${timeText(model.at)} · ${model.headroom}`),
		element('p', { class: 'quiet' }, about.join(' · ')),
		actions(model),
		section('By category', stackedBar(model.categories)),
		...(chart ? [section('Over the turns', chart)] : []),
		section('Largest messages', largestList(model, tell)),
		section('Files read', fileList(model, tell)),
		section('Compactions', compactionList(model, tell)),
	];
}

/** Which element had the focus, so that a fresh page keeps it. */
function focusedLabel(): string | null {
	return document.activeElement?.getAttribute('aria-label') ?? null;
}

function show(nodes: readonly Node[]): void {
	const view = document.getElementById('view');
	if (!view) return;
	const label = focusedLabel();
	const opened = [...view.querySelectorAll('li[data-key]:has(details[open])')].map((li) =>
		li.getAttribute('data-key'),
	);
	view.replaceChildren(...nodes);
	for (const item of view.querySelectorAll('li[data-key]')) {
		if (opened.includes(item.getAttribute('data-key')))
			item.querySelector('details')?.setAttribute('open', '');
	}
	if (label === null) return;
	for (const one of view.querySelectorAll('button')) {
		if (one.getAttribute('aria-label') === label) one.focus();
	}
}

let announced = '';

function announce(text: string): void {
	const status = document.getElementById('status');
	if (!status || announced === text) return;
	announced = text;
	status.textContent = text;
}

window.addEventListener('message', ({ data }: MessageEvent<ToView>) => {
	if (data.type === 'show') {
		show(page(data.model));
		announce(`Context ${data.model.percent} full`);
	} else {
		show([element('p', {}, data.why)]);
		announce(data.why);
	}
});

tell({ type: 'ready' });
