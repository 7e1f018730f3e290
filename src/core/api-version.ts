/** Every dated version of the API, oldest first. See docs/contract/versions.md#dates. */
export const API_VERSIONS: readonly [string, ...string[]] = ['2026-03-09']

/** The version that a new merchant's requests use unless they name another. */
export const NEWEST_API_VERSION: string = API_VERSIONS.at(-1) ?? API_VERSIONS[0]
