import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { decodeForm } from '../../src/http/form.ts'
import { curlOf } from '../../src/text/curl.ts'

type Content = Parameters<typeof curlOf>[1]['content']

const form = (params: Record<string, unknown>): Content => ({ body_format: 'form', params })
const json = (params: Record<string, unknown>): Content => ({ body_format: 'json', params })
const post = (content: Content) => curlOf('http://h', { method: 'POST', path: '/v1/x', content })

/** Runs a command in a shell, with a curl that prints its arguments. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\nPAYTWIN_SECRET_KEY=key\n${command}`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('a request without a body', () => {
  expect(curlOf('http://h', { method: 'GET', path: '/v1/customers?limit=3', content: null })).toBe(
    `curl --globoff -X GET 'http://h/v1/customers?limit=3' \\\n  -u "$PAYTWIN_SECRET_KEY:"`,
  )
})

test('a form has an option for each parameter', () => {
  const params = { customer: 'cus_1', items: [{ price: 'price_1' }], description: 'a & b', empty: '' }
  expect(post(form(params)).split(' \\\n  ').slice(2)).toEqual([
    '-d customer=cus_1',
    "-d 'items[0][price]=price_1'",
    "--data-urlencode 'description=a & b'",
    '-d empty=',
  ])
})

test('JSON is one body', () => {
  expect(
    post(json({ amount: 5, metadata: { name: "O'Neill" } }))
      .split(' \\\n  ')
      .slice(2),
  ).toEqual([
    "-H 'Content-Type: application/json'",
    String.raw`-d '{"amount":5,"metadata":{"name":"O'\''Neill"}}'`,
  ])
})

test.each(["/v1/customers?email='$(reboot)'", '/v1/x?a=`id`&b[c]=$HOME', "/v1/x?a='\n-o /tmp/x"])(
  'the shell reads the path %j as one word',
  (path) => {
    expect(argumentsOf(curlOf('http://h', { method: 'GET', path, content: null }))).toEqual([
      ...['--globoff', '-X', 'GET', `http://h${path}`, '-u', 'key:'],
    ])
  },
)

test.each<Record<string, unknown>>([
  { '@/etc/passwd': '1', a: '@/etc/passwd' },
  { "'; reboot #": "'; reboot #", '`id`': '$(id)' },
  { 'a=b&c': 'd=e&f', 'x[y': 'z', name: 'line\nbreak' },
])('the shell and curl read the hostile parameters %j as data', (params) => {
  const given = argumentsOf(post(form(params))).slice(6)
  const body = given.flatMap((option, at) => (at % 2 === 1 ? [sentBy(given[at - 1], option)] : [])).join('&')
  expect(decodeForm(body)).toEqual(params)
  const [, , option, text] = argumentsOf(post(json(params))).slice(6)
  expect([option, JSON.parse(text ?? '')]).toEqual(['-d', params])
})

test.each(['bash', 'sh'])('%s runs nothing of a value with control characters', (shell) => {
  const value = "\u0001'$(echo run >&2)`echo run >&2`; echo run >&2 #"
  const script = `curl() { :; }\n${post(form({ name: value }))}`
  const { stderr } = spawnSync(shell, ['-c', script], { encoding: 'utf8' })
  expect(stderr).not.toMatch(/^run$/m)
})

/** Returns what curl sends for an option with data. */
function sentBy(option: string | undefined, data: string): string {
  expect(data).not.toMatch(/^@/)
  if (option === '-d') return data
  const at = data.indexOf('=')
  return `${data.slice(0, at)}=${encodeURIComponent(data.slice(at + 1))}`
}
