import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTwin, type Twin, type TwinResponse } from '../twin.ts'
import { asOperator, expectRefusal, expectRefused, FORM, invalid, unchanged } from './support.ts'

const MIB = 1_048_576

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

/** Makes a body that arrives in chunks, without a content length. */
async function stream(pieces: readonly string[], contentType: string): Promise<TwinResponse> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  const response = await twin.sandbox.app.request('/v1/customers', {
    method: 'POST',
    headers: { Authorization: `Bearer ${twin.secretKey}`, 'Content-Type': contentType },
    body,
    duplex: 'half',
  } as RequestInit)
  return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers }
}

/** Makes a JSON body of a number of bytes. */
const bodyOf = (bytes: number) => `{"zebra":"${'x'.repeat(bytes - 12)}"}`
const announced = (body: string) => ({ 'Content-Length': String(Buffer.byteLength(body)) })

describe('a JSON body', () => {
  test.each([
    ['[]'],
    ['[{"name":"Ada"}]'],
    ['null'],
    ['true'],
    ['17'],
    ['"name=Ada"'],
    ['{'],
    ['{"name":"Ada",}'],
    ["{'name':'Ada'}"],
    ['{"name":NaN}'],
    ['{"name":"Ada"} {}'],
    ['name=Ada'],
    ['{"name":"\u0000"}'],
  ])('%j is refused with param null', async (body) => {
    await expectRefused(twin, ['POST', '/v1/customers', body], invalid(null))
  })

  test.each(['', '  \n', '{}', ' { } '])('%j holds no parameters', async (body) => {
    expect((await twin.request('POST', '/v1/customers', body)).status).toBe(201)
  })

  test('in several chunks is joined, also within characters', async () => {
    const whole = new TextEncoder().encode('{"name":"Adé"}')
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of whole) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const response = await twin.sandbox.app.request('/v1/customers', {
      method: 'POST',
      headers: { Authorization: `Bearer ${twin.secretKey}`, 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(await response.json()).toMatchObject({ name: 'Adé' })
  })

  test('that is invalid is not quoted in the message, because it may hold a card number', async () => {
    for (const body of [
      '{"number":x4111111111111111}',
      '4111111111111111x',
      '{"card":{"number":"4111111111111111"x}}',
    ]) {
      const response = await twin.request('POST', '/v1/payment_methods', body)
      expectRefusal(response, invalid(null))
      expect(JSON.stringify(response.body)).not.toMatch(/\d{6}/)
    }
  })
})

describe('the content type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
  ])('%s is JSON', async (contentType) => {
    const response = await twin.request('POST', '/v1/customers', '{"name":"Ada"}', {
      'Content-Type': contentType,
    })
    expect(response.body.name).toBe('Ada')
  })

  test.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=UTF-8'])(
    '%s is a form',
    async (contentType) => {
      const response = await twin.request('POST', '/v1/customers', 'name=Ada', {
        'Content-Type': contentType,
      })
      expect(response.body.name).toBe('Ada')
    },
  )

  test.each([
    'text/plain',
    'text/json',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'json',
    '',
  ])('%j is refused with param null', async (contentType) => {
    const request = ['POST', '/v1/customers', '{"name":"Ada"}', { 'Content-Type': contentType }] as const
    await expectRefused(twin, request, invalid(null))
  })
})

describe('the size of a body', () => {
  test.each<[string, number, number]>([
    ['1 MiB', MIB, 201],
    ['a byte more', MIB + 1, 400],
    ['3 MiB', 3 * MIB, 400],
  ])('of %s, announced', async (_, bytes, status) => {
    const body = bodyOf(bytes)
    const response = await unchangedUnless(status === 201, () =>
      twin.request('POST', '/v1/customers', body, announced(body)),
    )
    expect(response.status).toBe(status)
    if (status === 400) expectRefusal(response, invalid(null))
  })

  test.each<[string, number, number]>([
    ['1 MiB', MIB, 201],
    ['a byte more', MIB + 1, 400],
    ['3 MiB', 3 * MIB, 400],
  ])('of %s, in pieces', async (_, bytes, status) => {
    const pieces = bodyOf(bytes).match(/.{1,65536}/gs) ?? []
    const response = await unchangedUnless(status === 201, () => stream(pieces, 'application/json'))
    expect(response.status).toBe(status)
    if (status === 400) expectRefusal(response, invalid(null))
  })

  test('counts bytes, not characters', async () => {
    const pieces = ['{"zebra":"', 'é'.repeat(MIB / 2), '"}']
    expectRefusal(await stream(pieces, 'application/json'), invalid(null))
  })

  test('is limited for forms too, and on a DELETE', async () => {
    expectRefusal(await stream([`zebra=${'x'.repeat(MIB)}`], FORM['Content-Type']), invalid(null))
    const response = await twin.request('DELETE', '/v1/customers/cus_1', bodyOf(MIB + 1))
    expectRefusal(response, invalid(null))
  })

  test('is limited for the operator too', async () => {
    const operator = asOperator(twin)
    expect((await operator('POST', 'merchants', bodyOf(MIB))).status).toBe(201)
    expectRefusal(await operator('POST', 'merchants', bodyOf(MIB + 1)), invalid(null))
    const announcedOnly = { 'Content-Length': String(MIB + 1) }
    expectRefusal(await operator('POST', 'merchants', '{}', announcedOnly), invalid(null))
  })
})

const unchangedUnless = <T>(changes: boolean, act: () => Promise<T>): Promise<T> =>
  changes ? act() : unchanged(twin, act)

describe('parameters', () => {
  test('of a GET are read from its query, whatever its body', async () => {
    const response = await twin.request('GET', '/v1/customers?limit=1')
    expect(response.body.data).toHaveLength(1)
    expectRefusal(await twin.request('GET', '/v1/customers?limit=0'), invalid('limit'))
  })

  test('of a POST are read from its body only', async () => {
    const response = await twin.request('POST', '/v1/customers?name=Query', { email: 'a@example.com' })
    expect(response.body).toMatchObject({ name: null, email: 'a@example.com' })
  })
})
