import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** The parts of ASN.1 that a certificate needs. */
const TAG = {
  ...{ integer: 0x02, bits: 0x03, octets: 0x04, utf8: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 },
  ...{ dnsName: 0x82, ipAddress: 0x87, version: 0xa0, extensions: 0xa3 },
}
const hex = (text: string) => Buffer.from(text, 'hex')
/** Object identifiers with their tags, and for RSA the parameters that belong to it. */
const COMMON_NAME = hex('0603550403')
const ALTERNATIVE_NAMES = hex('0603551d11')
const ALGORITHMS = { ec: hex('06082a8648ce3d040302'), rsa: hex('06092a864886f70d01010b0500') }

/** Encodes a value in DER. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content)
  const size = value.length.toString(16)
  const length = hex(size.padStart(size.length + (size.length % 2), '0'))
  const long = value.length > 127 ? [Buffer.from([0x80 + length.length])] : []
  return Buffer.concat([Buffer.from([tag]), ...long, length, value])
}

const { sequence } = TAG
const text = (tag: number, content: string) => der(tag, Buffer.from(content))

/**
 * Creates a key and a certificate that it has signed itself, for 127.0.0.1 and a number of further names.
 * @returns both as PEM
 */
export function makeCertificate(names = 0, algorithm: 'ec' | 'rsa' = 'ec'): { key: string; cert: string } {
  const { publicKey, privateKey } = keysOf(algorithm)
  const signature = der(sequence, ALGORITHMS[algorithm])
  const name = der(sequence, der(TAG.set, der(sequence, COMMON_NAME, text(TAG.utf8, 'receiver'))))
  const further = Array.from({ length: names }, (_, index) => text(TAG.dnsName, `${index}.example.com`))
  const alternatives = der(sequence, der(TAG.ipAddress, Buffer.from([127, 0, 0, 1])), ...further)
  const extension = der(sequence, ALTERNATIVE_NAMES, der(TAG.octets, alternatives))
  const signed = der(
    sequence,
    der(TAG.version, der(TAG.integer, hex('02'))),
    der(TAG.integer, hex('01')),
    signature,
    name,
    der(sequence, text(TAG.time, '200101000000Z'), text(TAG.time, '491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, der(sequence, extension)),
  )
  const bits = Buffer.concat([hex('00'), sign('sha256', signed, privateKey)])
  const certificate = der(sequence, signed, signature, der(TAG.bits, bits))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function keysOf(algorithm: 'ec' | 'rsa'): { publicKey: KeyObject; privateKey: KeyObject } {
  return algorithm === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2_048 })
}
