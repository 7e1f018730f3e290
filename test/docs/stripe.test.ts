import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, textOf } from './blocks.ts'

const PAGE = textOf('docs/stripe.md')
const TESTS = 'test/compat/stripe-differences.test.ts'

/** The part of the page about paytwin's own API. */
const [, OWN_API = ''] = PAGE.split(/## paytwin's own API and Stripe's SDK\n|## What paytwin knows/)

/** Our column of the page's table, by number. */
const onPage = [...PAGE.matchAll(/^\| (\d+) \| .+ \| (.+) \|$/gm)].map(
  ([, number, text]) => `${number}. ${text}`,
)
const numbers = onPage.map((line) => Number.parseInt(line, 10))

test('docs/stripe.md has the differences of the contract', () => {
  const [, section = ''] = textOf('docs/contract/README.md').split('## Differences from similar services\n')
  expect(onPage).toEqual(section.match(/^\d+\. .+$/gm))
})

test('README.md says first how to run code that calls Stripe, and what differs', () => {
  const start = textOf('README.md').split('\n\n').slice(1, 3).join(' ')
  expect(start).toContain('](docs/stripe-in-five-minutes.md)')
  expect(start).toContain('](docs/stripe.md)')
  expect(start).toContain('](docs/api.md)')
})

test('each difference has a test with the SDK, and the other way round', () => {
  const tested = [...textOf(TESTS).matchAll(/'difference (\d+): /g)].map(([, number]) => Number(number))
  expect(tested).toEqual(numbers)
  expect(PAGE).toContain(TESTS)
})

test('the page names the version of the SDK that is tested', () => {
  const { devDependencies } = JSON.parse(textOf('test/compat/package.json'))
  expect(PAGE).toContain(`stripe ${devDependencies.stripe},`)
})

test('the resources that the page names are those that the tests call, and the missing one', () => {
  const isOfDialect = (name: string) => /^stripe-(calls|objects|sdks|story|versions)\b/.test(name)
  const sources = readdirSync(join(ROOT, 'test/compat')).filter(
    (name) => name.endsWith('.ts') && !isOfDialect(name),
  )
  const called = sources.flatMap((name) => [
    ...textOf(`test/compat/${name}`).matchAll(
      /\bstripe\.(?!webhooks)(\w+)\.\w+\(|\{ (testClocks) \} = stripe/g,
    ),
  ])
  const named = [...OWN_API.matchAll(/`(?:testHelpers\.)?(\w+s)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual([...new Set(called.map(([, name, clocks]) => name ?? clocks))].toSorted())
})
