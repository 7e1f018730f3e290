import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Ids } from '../../src/engine/machine/ids.ts'
import { clientSecretOf, withClientSecrets, withoutClientSecrets } from '../../src/http/client-secret.ts'
import { startTwin, type Twin } from '../twin.ts'

let twin: Twin
let ids: Ids
beforeAll(async () => {
  twin = await startTwin()
  ids = twin.sandbox.engine.ids
})
afterAll(() => twin.close())

describe('a body that is stored', () => {
  test('holds no client secret, and is the same once they are put in again', () => {
    const [first, second] = [clientSecretOf(ids, 'pi_1'), clientSecretOf(ids, 'seti_2')]
    const third = clientSecretOf(ids, 'bps_3')
    const text = JSON.stringify({
      client_secret: first,
      error: { setup_intent: { client_secret: second } },
      url: `http://127.0.0.1:4010/p/session/mer_1/${third}`,
    })
    const stored = withoutClientSecrets(ids, text)
    for (const secret of [first, second, third]) expect(stored).not.toContain(secret.split('_secret_')[1])
    expect(withClientSecrets(ids, stored)).toBe(text)
  })

  test('costs no digest for text of the merchant, however often it looks like a secret', () => {
    const genuine = clientSecretOf(ids, 'pi_1')
    const like = Array.from({ length: 1_000 }, (_, n) => `pi_${n}_secret_${'x'.repeat(24)}`)
    const metadata = { a: `${genuine} `.repeat(1_000), b: like.join(' '), c: `"client_secret":"${genuine}"` }
    const text = JSON.stringify({ client_secret: genuine, metadata })
    const derive = vi.spyOn(ids, 'derived')
    const stored = withoutClientSecrets(ids, text)
    expect(withClientSecrets(ids, stored)).toBe(text)
    expect(derive).toHaveBeenCalledTimes(2)
    derive.mockRestore()
  })

  test.each([
    'pi_1_secret_',
    'pi_1_secret_guessed',
    'pi_1_secret_\u0001',
    'pi_1_secret_\\u0001',
    '_secret_\u0001',
    'pi__secret_x',
    '\u0001',
  ])('keeps words of the merchant that look like one: %j', (description) => {
    const text = JSON.stringify({ client_secret: clientSecretOf(ids, 'pi_1'), description })
    expect(withClientSecrets(ids, withoutClientSecrets(ids, text))).toBe(text)
  })

  test('keeps a secret that the merchant stored, and the text after it', () => {
    const secret = clientSecretOf(ids, 'pi_1')
    for (const description of [secret, `${secret}x`, `see ${secret}, ${secret}`]) {
      const text = JSON.stringify({ description })
      expect(withClientSecrets(ids, withoutClientSecrets(ids, text))).toBe(text)
    }
  })
})
