/** Dates of an audit, in the user's time zone. */

import { getOrInsert } from '../../core/getOrInsert.ts';

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function padTwoDigits(value: number): string {
	return String(value).padStart(2, '0');
}

/** Formats the day of a time as `2026-11-26`. */
export function formatIsoDay(at: number): string {
	const time = new Date(at);
	return `${time.getFullYear()}-${padTwoDigits(time.getMonth() + 1)}-${padTwoDigits(time.getDate())}`;
}

const quarterHourMs = 900_000;

/** Returns a `formatIsoDay` that caches the day by quarter hour, because no day begins within a quarter hour. */
export function createDayFormatter(): typeof formatIsoDay {
	const dayByQuarter = new Map<number, string>();
	return (at) => getOrInsert(dayByQuarter, Math.floor(at / quarterHourMs), () => formatIsoDay(at));
}

/** Formats a day such as `2026-11-26` as `26 Nov`, or as `26 Nov 2026` if it is not in the current year. */
export function formatDay(day: string): string {
	const [year, month, date] = day.split('-');
	const text = `${Number(date)} ${monthNames[Number(month) - 1] ?? ''}`;
	return Number(year) === new Date().getFullYear() ? text : `${text} ${year}`;
}

/** Formats a time as `26 Nov 09:12`, or as `26 Nov 2025` if it is not in the current year. */
export function formatDayAndTime(at: number): string {
	const time = new Date(at);
	const day = formatDay(formatIsoDay(at));
	const isThisYear = time.getFullYear() === new Date().getFullYear();
	return isThisYear ? `${day} ${padTwoDigits(time.getHours())}:${padTwoDigits(time.getMinutes())}` : day;
}
