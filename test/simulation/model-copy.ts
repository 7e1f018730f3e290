/** Copies plain values in depth, many times as fast as structuredClone. A value that occurs twice becomes two values. */
export function copyOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf) as Value
  // The values of maps are not objects.
  if (value instanceof Map) return new Map(value) as Value
  const copy = { ...value }
  for (const name in copy) {
    const field = copy[name]
    if (typeof field === 'object' && field !== null) copy[name] = copyOf(field)
  }
  return copy
}
