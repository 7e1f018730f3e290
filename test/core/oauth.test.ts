import { describe, expect, test } from 'vitest'
import {
  ACCESS_TOKEN_SECONDS,
  AUTHORIZATION_TRANSITIONS,
  CODE_SECONDS,
  CODE_TRANSITIONS,
  CONSENT_SECONDS,
  challengeOf,
  checkCode,
  checkRefreshToken,
  narrowedScope,
  REFRESH_TOKEN_SECONDS,
  scopeOf,
  statusAt,
  TOKEN_TRANSITIONS,
} from '../../src/core/oauth.ts'
import { allows } from '../../src/core/transitions.ts'

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

test('lifetimes: request 10 minutes, code 5 minutes, access token 1 hour, refresh token 1 year', () => {
  expect([CONSENT_SECONDS, CODE_SECONDS, ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_SECONDS]).toEqual([
    600, 300, 3_600, 31_536_000,
  ])
})

test('only a pending request can be decided, and it expires without a write', () => {
  for (const status of ['approved', 'denied', 'expired'] as const) {
    for (const event of ['approve', 'deny', 'expire'] as const) {
      expect(allows(AUTHORIZATION_TRANSITIONS, status, event)).toBe(false)
    }
    expect(statusAt({ status, expires: 10 }, 99)).toBe(status)
  }
  expect(statusAt({ status: 'pending', expires: 10 }, 9)).toBe('pending')
  expect(statusAt({ status: 'pending', expires: 10 }, 10)).toBe('expired')
})

test('a code is redeemed once and replayed from then on; a refresh token is rotated once', () => {
  expect(CODE_TRANSITIONS).toEqual({
    issued: { use: 'redeemed' },
    redeemed: { use: 'replayed' },
    replayed: { use: 'replayed' },
  })
  expect(TOKEN_TRANSITIONS).toEqual({
    active: { rotate: 'rotated', revoke: 'revoked' },
    rotated: { revoke: 'revoked' },
    revoked: { revoke: 'revoked' },
  })
})

describe('a scope', () => {
  test.each([
    [undefined, 'read_only'],
    ['', 'read_only'],
    ['  ', 'read_only'],
    ['read_only', 'read_only'],
    ['read_write', 'read_write'],
    ['read_only read_write', 'read_write'],
    ['read_write read_only', 'read_write'],
  ])('of %j is %s', (text, scope) => {
    expect(scopeOf(text)).toBe(scope)
  })

  test.each(['admin', 'read_write admin', 'READ_WRITE', 'read_write,read_only', 'read_only\tread_write'])(
    'there is none called %j',
    (text) => {
      expect(() => scopeOf(text)).toThrow(expect.objectContaining({ code: 'invalid_scope' }))
    },
  )

  test.each([
    ['read_write', undefined, 'read_write'],
    ['read_write', '', 'read_write'],
    ['read_write', 'read_only', 'read_only'],
    ['read_write', 'read_write', 'read_write'],
    ['read_only', undefined, 'read_only'],
    ['read_only', 'read_only', 'read_only'],
    ['read_only', 'read_write', undefined],
    ['read_only', 'read_only read_write', undefined],
    ['read_write', 'admin', undefined],
  ] as const)('granted as %s and requested as %j becomes %s', (granted, asked, scope) => {
    if (scope !== undefined) expect(narrowedScope(granted, asked)).toBe(scope)
    else
      expect(() => narrowedScope(granted, asked)).toThrow(
        expect.objectContaining({ code: 'invalid_scope', status: 400 }),
      )
  })
})

describe('a challenge', () => {
  test('is none, or one of S256', () => {
    expect(challengeOf({})).toBeNull()
    expect(challengeOf({ code_challenge: CHALLENGE, code_challenge_method: 'S256' })).toBe(CHALLENGE)
  })

  test.each([
    [{ code_challenge: CHALLENGE }, 'code_challenge_method'],
    [{ code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'code_challenge_method'],
    [{ code_challenge: CHALLENGE, code_challenge_method: 's256' }, 'code_challenge_method'],
    [{ code_challenge_method: 'S256' }, 'code_challenge'],
    [{ code_challenge_method: 'plain' }, 'code_challenge'],
    [{ code_challenge: CHALLENGE.slice(1), code_challenge_method: 'S256' }, 'code_challenge'],
    [{ code_challenge: `${CHALLENGE}=`, code_challenge_method: 'S256' }, 'code_challenge'],
    [{ code_challenge: CHALLENGE.replace('-', '+'), code_challenge_method: 'S256' }, 'code_challenge'],
  ])('of %j is refused', (given, param) => {
    expect(() => challengeOf(given)).toThrow(expect.objectContaining({ code: 'parameter_invalid', param }))
  })
})

const CODE = {
  app: 'app_1',
  redirect_uri: 'https://app.example/cb',
  code_challenge: CHALLENGE,
  status: 'issued' as const,
  expires: 1_300,
}
const USE = {
  app: 'app_1',
  redirect_uri: 'https://app.example/cb',
  verifier: VERIFIER,
  challenge: CHALLENGE,
  now: 1_299,
}
const PLAIN_CODE = { ...CODE, code_challenge: null }
const PLAIN_USE = { ...USE, verifier: undefined, challenge: undefined }
const FOREIGN = { app: 'app_2' }

/** `yes`, `no`, or `revokes`. */
const verdictOf = ({ refusal, revokesFamily }: ReturnType<typeof checkCode>): string => {
  if (refusal === null) return 'yes'
  expect(refusal).toMatchObject({ status: 400, type: 'invalid_request_error', code: 'invalid_grant' })
  return revokesFamily ? 'revokes' : 'no'
}

test.each([
  ['in time, with its verifier', CODE, USE, 'yes'],
  ['that has no challenge, without a verifier', PLAIN_CODE, PLAIN_USE, 'yes'],
  ['at the end of its life', CODE, { ...USE, now: 1_300 }, 'no'],
  ['of another app', CODE, { ...USE, ...FOREIGN }, 'no'],
  ['with another redirect_uri', CODE, { ...USE, redirect_uri: 'https://app.example/cb/' }, 'no'],
  ['with a challenge, without a verifier', CODE, PLAIN_USE, 'no'],
  ['with another verifier', CODE, { ...USE, challenge: `${CHALLENGE.slice(1)}A` }, 'no'],
  [
    'with the challenge in place of the verifier',
    CODE,
    { ...USE, verifier: CHALLENGE, challenge: 'x' },
    'no',
  ],
  ['with a verifier that is too short to be one', CODE, { ...USE, verifier: 'a'.repeat(42) }, 'no'],
  ['with a verifier that is too long to be one', CODE, { ...USE, verifier: 'a'.repeat(129) }, 'no'],
  ['with a verifier of other characters', CODE, { ...USE, verifier: `${VERIFIER}=` }, 'no'],
  ['without a challenge, with a verifier', PLAIN_CODE, USE, 'no'],
  ['used before', { ...CODE, status: 'redeemed' as const }, USE, 'revokes'],
  ['replayed before', { ...CODE, status: 'replayed' as const }, USE, 'revokes'],
  [
    'used before, with nothing right',
    { ...CODE, status: 'redeemed' as const },
    { ...PLAIN_USE, now: 9_999 },
    'revokes',
  ],
  ['used before, by another app', { ...CODE, status: 'redeemed' as const }, { ...USE, ...FOREIGN }, 'no'],
])('a code %s is accepted: %s', (_, code, use, verdict) => {
  expect(verdictOf(checkCode(code, use))).toBe(verdict)
})

const TOKEN = { app: 'app_1', status: 'active' as const, expires: 5_000 }

test.each([
  ['in time', TOKEN, { app: 'app_1', now: 4_999 }, 'yes'],
  ['at the end of its life', TOKEN, { app: 'app_1', now: 5_000 }, 'no'],
  ['of another app', TOKEN, { app: 'app_2', now: 1 }, 'no'],
  ['that was revoked', { ...TOKEN, status: 'revoked' as const }, { app: 'app_1', now: 1 }, 'no'],
  ['that was rotated', { ...TOKEN, status: 'rotated' as const }, { app: 'app_1', now: 1 }, 'revokes'],
  [
    'that was rotated long ago',
    { ...TOKEN, status: 'rotated' as const },
    { app: 'app_1', now: 9_999 },
    'revokes',
  ],
  [
    'of another app that was rotated',
    { ...TOKEN, status: 'rotated' as const },
    { app: 'app_2', now: 1 },
    'no',
  ],
])('a refresh token %s is accepted: %s', (_, token, use, verdict) => {
  expect(verdictOf(checkRefreshToken(token, use))).toBe(verdict)
})
