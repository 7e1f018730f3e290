/**
 * Refuses options that a function does not have. Without type checks, a misspelt option would be ignored, and so would a function in
 * place of the options.
 * @param called - the function, as it is written
 * @throws TypeError
 */
export function refuseUnknown<Options extends object>(
  called: string,
  options: Options,
  known: Readonly<Record<keyof Options, true>>,
): void {
  const names = Object.keys(known)
  const valid = `Valid options: ${names.join(', ')}`
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options of ${called} must be an object. ${valid}`)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`${called} has no option '${unknown}'. ${valid}`)
}

/**
 * Refuses an argument that is not a string. Without type checks, it may be undefined because a variable was not set.
 * @param argument - what it is, as in `The name of snapshots.save`
 * @returns the argument
 * @throws TypeError
 */
export function requireText(argument: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new TypeError(`${argument} must be a string, not ${value === null ? 'null' : typeof value}`)
}
