import type { VersionChange } from '../../versions.ts'
import { byName } from './resources.ts'

/** The former names of the modes of a page. */
const FORMER = { hosted: 'hosted_page', embedded: 'embedded_page', custom: 'elements' } as const

/** The changes of version 2026-03-25.dahlia. */
export const DAHLIA: readonly VersionChange[] = [
  {
    description: 'The `ui_mode` of a Checkout session is `hosted` in place of `hosted_page`.',
    request: (route, params) => {
      const { ui_mode } = params
      return route === 'POST /v1/checkout/sessions' && typeof ui_mode === 'string' && isFormer(ui_mode)
        ? { ...params, ui_mode: FORMER[ui_mode] }
        : params
    },
    response: byName({
      'checkout.session': (session) => ({ ...session, ui_mode: 'hosted' }),
    }),
  },
]

const isFormer = (mode: string): mode is keyof typeof FORMER => Object.hasOwn(FORMER, mode)
