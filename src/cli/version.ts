import { version } from '../../package.json'

/** paytwin's own version. */
export const VERSION: string = version
