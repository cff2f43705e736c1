/** Returns a map's value for a key; if there is none, stores and returns the result of `create`. */
export function getOrInsert<Key, Value extends NonNullable<unknown>>(
	map: { get(key: Key): Value | undefined; set(key: Key, value: NoInfer<Value>): unknown },
	key: Key,
	create: (key: Key) => NoInfer<Value>,
): Value {
	const existingValue = map.get(key);
	if (existingValue !== undefined) return existingValue;
	const newValue = create(key);
	map.set(key, newValue);
	return newValue;
}
