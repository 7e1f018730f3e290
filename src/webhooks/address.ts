import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseUrl } from '../core/url.ts'

/** Link-local, metadata and multi-receiver ranges, which are always refused. */
const NEVER: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  // The metadata services of clouds that use other addresses than 169.254.169.254.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:42::42/128',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  '::/128',
  'fe80::/10',
  'ff00::/8',
]

/** Loopback and private ranges. A daemon that listens beyond loopback refuses them unless they are allowed. */
const PRIVATE: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '::1/128',
  'fc00::/7',
  // Site-local (RFC 3879): deprecated, but still routed within some networks.
  'fec0::/10',
]

/** A range of addresses that is not valid. */
export class RangeInvalid extends Error {}

/** The rules on the addresses of webhooks. */
export type AddressRules = {
  /** Whether the daemon listens beyond this machine. */
  readonly isExposed: boolean
  /** CIDR ranges that are allowed although they are private. */
  readonly allowed: readonly string[]
}

/**
 * Decides which addresses webhooks may be sent to. The addresses of a host name are checked after its resolution and
 * then used.
 * See docs/contract/events-and-webhooks.md#addresses.
 */
export class Addresses {
  readonly #allowed: readonly Range[]
  readonly #isExposed: boolean

  /** @throws RangeInvalid for a text that is not a CIDR range */
  constructor({ isExposed, allowed }: AddressRules) {
    this.#isExposed = isExposed
    this.#allowed = rangesOf(allowed)
  }

  /**
   * Returns the error message for a refused address; undefined when it is allowed. For an IPv6 address with an embedded
   * IPv4 address, both are checked.
   */
  refusal(address: string): string | undefined {
    const plain = ipaddr.parse(address)
    const meant = [plain, ...embeddedIn(plain)]
    const { never, private: internal } = knownRanges()
    if (meant.some((each) => holds(never, each)))
      return `${address} is a link-local, metadata or multicast address, to which webhooks are never sent`
    const isAllowed = (each: Address) => !holds(internal, each) || holds(this.#allowed, each)
    if (!this.#isExposed || holds(this.#allowed, plain) || meant.every(isAllowed)) return undefined
    return `${address} is a loopback or private address; a daemon that listens beyond this machine can reach it only with --webhook-allow`
  }

  /**
   * Returns the error message for an invalid or refused URL; undefined when it is allowed, or has a name to resolve.
   */
  urlRefusal(text: string): string | undefined {
    const url = parseUrl(text)
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      return `'${text}' is not a valid webhook URL; give one as in http://localhost:3000/webhooks`
    }
    if (url.username !== '' || url.password !== '') return 'A URL with a user or a password is not accepted'
    // The parser has converted decimal, octal and hexadecimal spellings to the usual one.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    return isIP(host) ? this.refusal(host) : undefined
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [network: Address, length: number]

const rangesOf = (ranges: readonly string[]): Range[] => ranges.map(rangeOf)

function rangeOf(range: string): Range {
  const [network = ''] = range.split('/')
  // The library also takes abbreviated and octal addresses.
  if (!isIP(network) || !ipaddr.isValidCIDR(range)) {
    throw new RangeInvalid(`'${range}' is not a range of addresses; give one as in 10.0.0.0/8 or fd00::/8`)
  }
  return ipaddr.parseCIDR(range)
}

const holds = (ranges: readonly Range[], address: Address): boolean =>
  ranges.some(([network, length]) => network.kind() === address.kind() && address.match(network, length))

/** A format of IPv6 addresses with an embedded IPv4 address. */
type Embedding = {
  readonly range: string
  /** Matches the 32 hexadecimal digits of such an address, if the range is not sufficient. */
  readonly form?: RegExp
  /** Where the IPv4 address begins among the 16 bytes. */
  readonly at: number
  readonly isInverted?: true
}

const EMBEDDINGS: readonly Embedding[] = [
  { range: '::/96', form: /(?!0{7}[01]).{8}$/, at: 12 }, // IPv4-compatible, but for :: and ::1
  { range: '::ffff:0:0/96', at: 12 }, // mapped
  { range: '::ffff:0:0:0/96', at: 12 }, // translated (SIIT)
  { range: '64:ff9b::/96', at: 12 }, // NAT64
  { range: '64:ff9b:1::/48', at: 12 }, // local NAT64, with a prefix of 96 bits
  { range: '64:ff9b:1::/48', form: /^.{16}00.{8}0{6}$/, at: 9 }, // the same with a prefix of 64 bits (RFC 6052 2.2)
  { range: '2002::/16', at: 2 }, // 6to4
  { range: '2001::/32', at: 4 }, // the server of a Teredo address
  { range: '2001::/32', at: 12, isInverted: true }, // its client (RFC 4380 4)
  { range: '::/0', form: /^.{16}0[0-3]005efe/, at: 12 }, // ISATAP, with any prefix (RFC 5214 6.1)
]

type KnownRanges = {
  readonly never: readonly Range[]
  readonly private: readonly Range[]
  readonly embeddings: readonly { readonly range: Range; readonly embedding: Embedding }[]
}

let known: KnownRanges | undefined

/** Parses the known ranges when the first address is checked, because most daemons never send a webhook. */
function knownRanges(): KnownRanges {
  known ??= {
    never: rangesOf(NEVER),
    private: rangesOf(PRIVATE),
    embeddings: EMBEDDINGS.map((embedding) => ({ range: rangeOf(embedding.range), embedding })),
  }
  return known
}

/** The IPv4 addresses that an IPv6 address may stand for. */
function embeddedIn(address: Address): Address[] {
  if (address.kind() === 'ipv4') return []
  const bytes = address.toByteArray()
  const digits = Buffer.from(bytes).toString('hex')
  return knownRanges()
    .embeddings.filter(
      ({ range, embedding: { form } }) => holds([range], address) && (form?.test(digits) ?? true),
    )
    .map(({ embedding: { at, isInverted } }) =>
      ipaddr.fromByteArray(bytes.slice(at, at + 4).map((byte) => (isInverted ? byte ^ 255 : byte))),
    )
}
