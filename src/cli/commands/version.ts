import { version } from '../../../package.json'

/** The version of paytwin. */
export const VERSION: string = version
