import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Returns what is wrong with how a page looks: elements that violate a rule of accessibility, and how far it is wider than the screen.
 * @param rules - `contrast` for a page whose other rules were checked in the other color scheme
 */
export async function flawsOf(page: Page, rules: 'all' | 'contrast' = 'all'): Promise<string[]> {
  await page.evaluate(axe.source)
  const options = rules === 'all' ? '' : "{ runOnly: ['color-contrast'] }"
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as axe.AxeResults
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)),
    ...(overflow === 0 ? [] : [`${overflow} pixels wider than the screen`]),
  ]
}
