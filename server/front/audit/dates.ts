/** Dates of an audit, in the user's time zone. */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function twoDigits(value: number): string {
	return String(value).padStart(2, '0');
}

/** Formats the day of a time as `2026-11-26`. */
export function dayOf(at: number): string {
	const time = new Date(at);
	return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
}

const quarterHourMs = 900_000;

/**
 * Returns a `formatIsoDay` that caches the day of each quarter of an hour, within which no time zone begins a day.
 */
export function createDayLookup(): typeof dayOf {
	const known = new Map<number, string>();
	return (at) => {
		const quarter = Math.floor(at / quarterHourMs);
		let day = known.get(quarter);
		if (day === undefined) {
			day = dayOf(at);
			known.set(quarter, day);
		}
		return day;
	};
}

/** Formats a day such as `2026-11-26` as `26 Nov`, or as `26 Nov 2026` if it is not in the current year. */
export function dayText(day: string): string {
	const [year, month, date] = day.split('-');
	const text = `${Number(date)} ${months[Number(month) - 1] ?? ''}`;
	return Number(year) === new Date().getFullYear() ? text : `${text} ${year}`;
}

/** Formats a time as `26 Nov 09:12`, or as `26 Nov 2025` if it is not in the current year. */
export function dayAndTime(at: number): string {
	const time = new Date(at);
	const day = dayText(dayOf(at));
	const isThisYear = time.getFullYear() === new Date().getFullYear();
	return isThisYear ? `${day} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}` : day;
}
