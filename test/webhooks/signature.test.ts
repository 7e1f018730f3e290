import { describe, expect, test } from 'vitest'
import { SignatureInvalid, sign, verify } from '../../src/webhooks/signature.ts'

// The example of the specification of Standard Webhooks.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
const SIGNED = sign(SECRET, MESSAGE)

describe('a signature', () => {
  test('is that of Standard Webhooks’ own example', () => {
    expect(SIGNED['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect(SIGNED).toMatchObject({ 'webhook-id': MESSAGE.id, 'webhook-timestamp': '1614265330' })
  })

  test('is keyed with the whole text of the secret in the other scheme', () => {
    expect(SIGNED['paytwin-signature']).toMatch(/^t=1614265330,v1=[0-9a-f]{64}$/)
    expect(sign(SECRET.slice(6), MESSAGE)['paytwin-signature']).not.toBe(SIGNED['paytwin-signature'])
  })
})

const { body } = MESSAGE
const own = (signature: string) => ({ 'paytwin-signature': signature })
const { 'paytwin-signature': header, ...standard } = SIGNED
const v1 = header.split('v1=')[1] ?? ''

describe('a verifier', () => {
  test.each([
    ['its own header', own(header)],
    ['several signatures, one of which is right', own(`t=1614265330,v1=${'0'.repeat(64)},v1=${v1}`)],
    ['signatures of another scheme beside', own(`t=1614265330,v0=x,v1=${v1}`)],
    ['the headers of Standard Webhooks', standard],
    [
      'several of these',
      { ...standard, 'webhook-signature': `v1a,xyz v1,AAAA ${standard['webhook-signature']}` },
    ],
    ['both', SIGNED],
  ])('accepts %s', (_, headers) => {
    expect(verify(SECRET, { body, headers })).toEqual({ test: 2432232314 })
  })

  test.each<[string, Record<string, string | string[]>]>([
    ['no header', {}],
    ['an empty one', own('')],
    ['no time', own(`v1=${v1}`)],
    ['a time that is none', own(`t=now,v1=${v1}`)],
    ['another time', own(`t=1614265331,v1=${v1}`)],
    ['no signature', own('t=1614265330')],
    ['half a signature', own(`t=1614265330,v1=${v1.slice(0, 32)}`)],
    ['a signature of another scheme', own(`t=1614265330,v0=${v1}`)],
    ['a list of headers', { 'paytwin-signature': [header] }],
    ['an id of another event', { ...standard, 'webhook-id': 'msg_x' }],
    ['no id', { 'webhook-timestamp': '1614265330', 'webhook-signature': standard['webhook-signature'] }],
    ['no time of Standard Webhooks', { ...standard, 'webhook-timestamp': '' }],
    [
      'a signature without its version',
      { ...standard, 'webhook-signature': standard['webhook-signature'].slice(3) },
    ],
    [
      'a bad one, with a good one of the other kind beside',
      { ...standard, ...own(`t=1614265330,v1=${'0'.repeat(64)}`) },
    ],
  ])('refuses %s', (_, headers) => {
    expect(() => verify(SECRET, { body, headers })).toThrow(SignatureInvalid)
  })

  test.each([
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ])('with its clock %s seconds on: accepts is %s', (seconds, accepts) => {
    const check = () => verify(SECRET, { body, headers: SIGNED, now: MESSAGE.timestamp + seconds })
    if (accepts) expect(check()).toEqual({ test: 2432232314 })
    else expect(check).toThrow(/more than 300 seconds/)
  })

  test('may be more or less patient', () => {
    const check = (toleranceSeconds: number) => () =>
      verify(SECRET, { body, headers: SIGNED, now: MESSAGE.timestamp + 10, toleranceSeconds })
    expect(check(9)).toThrow(SignatureInvalid)
    expect(check(10)()).toEqual({ test: 2432232314 })
  })
})
